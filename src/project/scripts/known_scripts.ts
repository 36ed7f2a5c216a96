/**
 * BMAD's scripts that ours were compared with, as short hashes. Written by `deno task upstream --write`.
 */

/** The releases, oldest first, by package. */
export const COMPARED: Readonly<Record<string, readonly string[]>> = {
  "bmad-method": ["6.2.0", "6.3.0", "6.5.0", "6.8.0", "6.10.0", "6.11.0", "6.11.1-next.24", "6.12.0"],
  "bmad-builder": ["1.1.0"],
  "bmad-method-test-architecture-enterprise": ["1.23.2", "1.26.0", "1.27.2"],
  "bmad-creative-intelligence-suite": ["0.1.9"],
  "bmad-game-dev-studio": ["0.2.2"],
};

/** By name and hash, the last release that has a script. */
export const KNOWN_SCRIPTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "analyze_sources.py": { "31e2a8441c3c43c2": "6.5.0" },
  "brain.py": {
    "b84770d5d55fa17b": "6.10.0",
    "1c75c667fc70a850": "6.11.1-next.24",
    "f81b28fe590f607b": "6.12.0",
  },
  "config_utils.py": { "48afe2bc18a29201": "6.12.0" },
  "generate-html-report.py": { "f104f1c63c477ab1": "bmad-builder 1.1.0" },
  "git_evidence.py": { "6e08688d2943217b": "6.12.0" },
  "lint_spine.py": { "040e0f1c13d31e6a": "6.12.0" },
  "list_customizable_skills.py": { "8787f542930b9277": "6.12.0" },
  "manifest.py": { "0adb25d2d0682dff": "bmad-builder 1.1.0", "e89965d525203dc4": "bmad-builder 1.1.0" },
  "memlog.py": { "3b00f82ca33dc422": "6.12.0" },
  "pick_methods.py": { "60020ec4767894ea": "6.12.0" },
  "prepass-execution-deps.py": {
    "306afc8e683aacec": "bmad-builder 1.1.0",
    "6774e73fff84077f": "bmad-builder 1.1.0",
  },
  "prepass-prompt-metrics.py": {
    "4bf3fd1023e342da": "bmad-builder 1.1.0",
    "edeff2f48c375b79": "bmad-builder 1.1.0",
  },
  "prepass-structure-capabilities.py": { "0c882cdbd8ac88ac": "bmad-builder 1.1.0" },
  "prepass-workflow-integrity.py": { "489917cdadd1c2b3": "bmad-builder 1.1.0" },
  "recon_kit.py": { "8cb5187b5114b779": "6.12.0" },
  "render_skill.py": { "8496d0d8b449d64c": "6.12.0" },
  "resolve_config.py": {
    "8e326149d9170477": "6.8.0",
    "f41149160898aea8": "6.10.0",
    "fc78866fd42862d4": "6.11.1-next.24",
    "70d7577396ed40ab": "6.12.0",
  },
  "resolve_customization.py": {
    "6dbf36a2fea13392": "6.5.0",
    "a56abc64ffc8924f": "6.8.0",
    "23fb9040b08c7eb9": "6.10.0",
    "9b5124e0b781823a": "6.11.1-next.24",
    "c95aab9f2dc500d6": "6.12.0",
  },
  "resolve_party.py": {
    "663a1ffa8406564c": "6.10.0",
    "0bed5ad2139f4412": "6.11.1-next.24",
    "349d911a194d844e": "6.12.0",
  },
  "resolve_personas.py": {
    "3da694c23e5fb29f": "6.10.0",
    "b3e5f2f38de013ad": "6.11.1-next.24",
    "9273c71595d6317e": "6.12.0",
  },
  "scan-path-standards.py": {
    "ad910188d2526496": "bmad-builder 1.1.0",
    "01332b3d9cee6244": "bmad-builder 1.1.0",
  },
  "scan-scripts.py": { "1a6560996f7a4553": "bmad-builder 1.1.0" },
  "sprint_plan.py": { "4c30f62c261599fc": "6.12.0" },
  "sprint_status.py": { "a697eecd53cd9177": "6.12.0" },
  "word_metrics.py": { "fb45007a7f3cfc18": "6.12.0" },
};
