/**
 * The scripts of BMAD's releases that ours were compared with, as hashes. Written by `deno task upstream --write`.
 */

/** The releases, oldest first, by package. */
export const COMPARED: Readonly<Record<string, readonly string[]>> = {
  "bmad-method": [
    "6.2.0",
    "6.3.0",
    "6.5.0",
    "6.8.0",
    "6.10.0",
    "6.11.0",
    "6.11.1-next.24",
    "6.12.0",
  ],
  "bmad-builder": ["1.1.0"],
  "bmad-method-test-architecture-enterprise": ["1.23.2", "1.26.0", "1.27.2"],
  "bmad-creative-intelligence-suite": ["0.1.9"],
  "bmad-game-dev-studio": ["0.2.2"],
};

/** By name and hash, the last release that has a script. */
export const KNOWN_SCRIPTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "analyze_sources.py": {
    "31e2a8441c3c43c2536739c580cdef6abecb18ff20e7447f42dd868875783166": "6.5.0",
  },
  "brain.py": {
    "b84770d5d55fa17bd99a2ab9076130874dfb7f8cd9b4283cd6413df097bc72b6": "6.10.0",
    "1c75c667fc70a85055dd19d77fb21478e190874e4a61d070c3b0971dd1bd25cc": "6.11.1-next.24",
    "f81b28fe590f607b95c7218a7cdd6fb6eb91d3a76b9671acf54bcaf36fd4e6ca": "6.12.0",
  },
  "config_utils.py": {
    "48afe2bc18a29201e343cce3703be1e70df9c83ee74eeb68e57ef8ef42e8c651": "6.12.0",
  },
  "generate-html-report.py": {
    "f104f1c63c477ab1f4aa73a3dec66a2bde5d1ff16272c5452329f19ce1cd2a41": "bmad-builder 1.1.0",
  },
  "git_evidence.py": {
    "6e08688d2943217b61e784c7df3508aa1502d7cecf53ea7cd530944c431c91b6": "6.12.0",
  },
  "lint_spine.py": {
    "040e0f1c13d31e6a21c518df943d1d7de7b75d8d98a07603b0983f3f3fb500db": "6.12.0",
  },
  "list_customizable_skills.py": {
    "8787f542930b927789e7fdf12bc5a67ff08e19865903a5ad05ff2cc8fc426b66": "6.12.0",
  },
  "manifest.py": {
    "0adb25d2d0682dffc5656ddf573e37c79d99980ecd53512aa5b9b8f6371b56e7": "bmad-builder 1.1.0",
    "e89965d525203dc4c09d9fd0135a738caf655e07b746c05252ad2e2d6ed39dab": "bmad-builder 1.1.0",
  },
  "memlog.py": {
    "3b00f82ca33dc4227f715123b939514ee35c4f9c71150c894c3d8185df1b48df": "6.12.0",
  },
  "pick_methods.py": {
    "60020ec4767894ea3d8707c4b61e78b679d434315be1dd29154bf64d88126fff": "6.12.0",
  },
  "prepass-execution-deps.py": {
    "306afc8e683aacecf0c880a23628689ac3e859030803ade731df84470b9bd12b": "bmad-builder 1.1.0",
    "6774e73fff84077fb8847a0406b99265d0b257508462a89eaf3331dbc66fa8e7": "bmad-builder 1.1.0",
  },
  "prepass-prompt-metrics.py": {
    "4bf3fd1023e342dab0647b4808554dc0d87c897b0148373d12525b7380b159fc": "bmad-builder 1.1.0",
    "edeff2f48c375b79cad66e8322d3b1ac82d0a5c5513fb62518c387071de8581b": "bmad-builder 1.1.0",
  },
  "prepass-structure-capabilities.py": {
    "0c882cdbd8ac88ac09b0ea536f304ebcabccfb79f8cea6d91d409e2fdc7a264e": "bmad-builder 1.1.0",
  },
  "prepass-workflow-integrity.py": {
    "489917cdadd1c2b3a1e5154cb934543640204b44f4847cb3991ab8357be5ebc2": "bmad-builder 1.1.0",
  },
  "recon_kit.py": {
    "8cb5187b5114b779532907383a013d40fdea1022bb9bed9a23bd8d0fdfa79e8c": "6.12.0",
  },
  "render_skill.py": {
    "8496d0d8b449d64c21b42a9aab3b13fc8a813a430c0695ffd84ad75bb1da7942": "6.12.0",
  },
  "resolve_config.py": {
    "8e326149d9170477ecc21aa2aa2389d8fbaa5d1cd95db2de2ad33029ce8ae528": "6.8.0",
    "f41149160898aea80a12861d149b10dc6b2d2b69d7d97eb65cad01f368adac03": "6.10.0",
    "fc78866fd42862d486d4346d2b35705f916a19e6c07bb474f8add25c71734a8e": "6.11.1-next.24",
    "70d7577396ed40ab9462ab75dce51f852bc2e094b2d1a054214f1b30c8789768": "6.12.0",
  },
  "resolve_customization.py": {
    "6dbf36a2fea13392426fdbaf4f074b6d9b93488a964d2d1bff2a5c1c3a1d506e": "6.5.0",
    "a56abc64ffc8924f8ded95562c7ef3f6d7f1b18f0724289fd3b95fda3567dab4": "6.8.0",
    "23fb9040b08c7eb975aeabc4245ef50e158516f5082eebc9ae41700641338498": "6.10.0",
    "9b5124e0b781823a015a19d6cf5db52bbc34b6bab41c036fd1b3d464c2a137cd": "6.11.1-next.24",
    "c95aab9f2dc500d6ab7db77d6a7860028701ce414e03690613a282cc3659d284": "6.12.0",
  },
  "resolve_party.py": {
    "663a1ffa8406564c2a08f210f144b08d323596b105b755ae795ca725384e32ac": "6.10.0",
    "0bed5ad2139f4412699c07d571c218470901b901ca4a72b441ec9308dbc8ce74": "6.11.1-next.24",
    "349d911a194d844e6d885ba8afd9296d7dba6dc87b4071534b31da17ae8ab796": "6.12.0",
  },
  "resolve_personas.py": {
    "3da694c23e5fb29fe25963e2ea0509e1dd6d8c9f70ac54b00d98044052fd1c6e": "6.10.0",
    "b3e5f2f38de013ad878d8ac9c1d4e77d555c2d665dd6c0bc16f9f567d2bbd30c": "6.11.1-next.24",
    "9273c71595d6317e0a1035b1a632a47a8943379797d0a4db0d2842e5787c31cc": "6.12.0",
  },
  "scan-path-standards.py": {
    "ad910188d25264963e66e4a067d1687aa556a2c81870010f83c9fb07b5d43b0e": "bmad-builder 1.1.0",
    "01332b3d9cee6244c16bc437ec1f80947d18bde9fbd738e6f4774d3dd651a89f": "bmad-builder 1.1.0",
  },
  "scan-scripts.py": {
    "1a6560996f7a45533dc688e7669b71405f5df031c4dfa7a14fc2fb8df2321a46": "bmad-builder 1.1.0",
  },
  "sprint_plan.py": {
    "4c30f62c261599fc1da3fd319ea6ce5092aa0332221cedee1763a1040627e6bc": "6.12.0",
  },
  "sprint_status.py": {
    "a697eecd53cd9177657aee4cfdb2eab06d7d81f3e855b096cfe0482a74c50ebe": "6.12.0",
  },
  "word_metrics.py": {
    "fb45007a7f3cfc18d13ee8bd4787facdaae297570193bc769456297dd33da78b": "6.12.0",
  },
};
