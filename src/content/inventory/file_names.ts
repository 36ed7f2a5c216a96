/**
 * The names of files and folders that mean something in BMAD content, in one place.
 *
 * Only names: what each file contains is known to the reader of its layout.
 */

/** Makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";
/** A module's own help catalogue. */
export const HELP_FILE = "module-help.csv";
/** Lists the skills of an installation. */
export const SKILL_MANIFEST = "_config/skill-manifest.csv";
/** Lists every file of an installation. */
export const FILES_MANIFEST = "_config/files-manifest.csv";
/** Where installers keep their manifests, newest first. */
export const CONFIG_FOLDERS: readonly string[] = ["_config", "_cfg"];
/** How the name of an agent's customization ends, in `agents` of these folders. */
export const AGENT_CHANGES = ".customize.yaml";
/** Makes a folder the source of a module. */
export const MODULE_FILE = "module.yaml";
/** The same before 6.0.0-alpha.15. */
export const OLD_MODULE_FILE = "_module-installer/install-config.yaml";
/** Describes all agents of the third generation. */
export const V3_FILE = "ide-bmad-orchestrator.cfg.md";
/** Lists the skills of a plugin repository. */
export const PLUGIN_FILE = ".claude-plugin/marketplace.json";
/** With these a project changes content that comes from elsewhere. */
export const CUSTOM_FILES: readonly string[] = ["custom", "config.toml", "config.user.toml"];
/** Says which module a skill of the flat generation belongs to, or describes a module; first form last. */
export const RECORD_FILES: readonly string[] = ["bmod.toml", "module-manifest.toml"];
/** What `npx skills` has installed, and from where. */
export const LOCK_FILE = "skills-lock.json";
