/** The names of files and folders that mean something in BMAD content, in one place. */

export const SKILL_FILE = "SKILL.md";
export const HELP_FILE = "module-help.csv";
export const SKILL_MANIFEST = "_config/skill-manifest.csv";
export const FILES_MANIFEST = "_config/files-manifest.csv";
/** Newest first. */
export const CONFIG_FOLDERS: readonly string[] = ["_config", "_cfg"];
export const AGENT_CHANGES = ".customize.yaml";
export const MODULE_FILE = "module.yaml";
/** Before 6.0.0-alpha.15. */
export const OLD_MODULE_FILE = "_module-installer/install-config.yaml";
export const V3_FILE = "ide-bmad-orchestrator.cfg.md";
export const PLUGIN_FILE = ".claude-plugin/marketplace.json";
export const CUSTOM_FILES: readonly string[] = ["custom", "config.toml", "config.user.toml"];
/** Name the module of a flat skill, or describe a module; the first form is last. */
export const RECORD_FILES: readonly string[] = ["bmod.toml", "module-manifest.toml"];
export const LOCK_FILE = "skills-lock.json";
