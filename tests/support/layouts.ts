/**
 * What does a project of each layout look like, with as few files as it takes to be recognised?
 *
 * A new layout does not compile until it has its files here.
 */
import type { LayoutName } from "../../src/content/inventory/mod.ts";

export const SMALLEST: Readonly<Record<LayoutName, Readonly<Record<string, string>>>> = {
  "installed skills": { "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" },
  "flat skills": { ".agents/skills/map/bmod.toml": "[skill]\n" },
  "compiled": { "bmad/_cfg/agent-manifest.csv": "name,path\n" },
  "source tree": { "src/module.yaml": "code: fw\n", "src/plan/map/SKILL.md": "# Map\n" },
  "source modules": { "src/modules/fw/agents/scout.agent.yaml": "agent: {}\n" },
  "v4": { ".bmad-core/core-config.yaml": "", ".bmad-core/agents/scout.md": "# Scout\n" },
  "v3": { "bmad-agent/ide-bmad-orchestrator.cfg.md": "# Agents\n" },
  "hand-written": { "bmad/agents/scout.md": "# Scout\n" },
  "plugin": { ".claude-plugin/marketplace.json": "{}" },
  "loose skills": { ".claude/skills/bmad-map/SKILL.md": "# Map\n" },
};
