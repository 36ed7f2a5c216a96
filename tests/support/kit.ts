/**
 * A project whose team keeps its memory in the files of a kit.
 *
 * In French, like the kit's own headings, with everything that a reader can trip over: comments and code fences that
 * look like content, unfilled placeholders, secrets, both layouts of runs, a state that is not JSON.
 */
import type { TreeFile } from "./trees.ts";
import { createTextRanker } from "../../src/project/kit/memory/store/rankers.ts";
import {
  type Cleaner,
  type KitFiles,
  type KitFilesTools,
  openKitFiles,
} from "../../src/project/kit/files/mod.ts";
import { TERMS_ONLY } from "./memories.ts";
import { treeTest } from "./trees.ts";

export const KIT_NAMES = [
  { base: "_bmad", output: "_bmad-output" },
  { base: "_grimoire", output: "_grimoire-output" },
] as const;

export type KitNames = typeof KIT_NAMES[number];

const PROJECT_CONTEXT = `# Réglages du projet
project:
  name: "Herbier"
  description: "Identifier des plantes d'après une photo"
  type: webapp
  stack:
    - go
    - typescript
  repos:
    - name: herbier
      path: "."
      default_branch: main
user:
  name: "Zoé Martin"
  language: "Français"
  document_language: "Français"
infrastructure:
  host: serveur-1
  api_key: "ne-pas-montrer"
memory:
  backend: local
agents:
  archetype: web-app
  custom_agents:
    - name: botaniste
      icon: "🌿"
      domain: "Plantes"
      keywords: "feuille fleur"
session_branch: "main"
runs_directory: "_bmad-output/.runs/main/"
bmad_kit_version: "2.0.0"
`;

const SHARED_CONTEXT = `# Contexte Partagé — Herbier

<!-- Modèle : à adapter
## Architecture
Ceci n'est pas un chapitre.
-->

> Lu par chaque agent au démarrage.

## Projet

- **Nom** : Herbier
- **Dépôt** : https://exemple.test/herbier
- **Licence** : {{licence}}

## Stack Technique

| Couche | Technologie | Version | Répertoire |
|--------|-------------|---------|------------|
| Serveur | Go | 1.24 | \`api/\` |
| Page | TypeScript | 5 | \`web/\` |
| Cache | {{cache_tech}} | — | — |

## Architecture

Deux services et une file d'attente.

\`\`\`
herbier/
## ceci n'est pas un titre
├── api/   # serveur
└── web/   # page
\`\`\`

## API

- **Format** : JSON

### Routes

| Méthode | Route |
|---------|-------|
| POST | \`/photos\` |

## Environnement local

Lancer \`make dev\`.

## Équipe d'Agents Custom

> À compléter.

| Agent | Nom | Icône | Domaine |
|-------|-----|-------|---------|
| botaniste | Flora | 🌿 | Détermination des plantes |
| jardinier | Basile | 🪴 | Entretien |

## Conventions

- Commits courts, en français
- Jamais de secret dans le code : \`JWT_SECRET=9f8Zk2LmQ7tRw4Xv\`

## Points de vigilance

- [ ] Limiter la taille des photos

## Requêtes inter-agents

<!-- Format : - [SOURCE→CIBLE] texte -->
- [dev→qa] Vérifier l'envoi de photos de 20 Mo
`;

const DECISIONS = `# Journal des décisions

## 2026-01-10 — Go pour le serveur [ARCH]

**Contexte** : peu de mémoire sur le serveur.

### Conséquences

Une équipe à former.

## 2026-02-20 Photos gardées trente jours

Accord avec le juriste.

## 2026-02-20 — Pas de compte obligatoire

<!-- ## 2026-03-01 — Exemple -->
`;

const LEARNINGS = `# Learnings — dev

> Apprentissages accumulés par cet agent.

- [2026-01-15] Compresser les photos avant l'envoi
- [2026-03-02] Le jeton d'accès expire après 15 minutes
- [2026-03-02] Les migrations passent avant le déploiement,
  sinon l'ancienne version échoue
- Relire le journal des décisions
<!-- - [2026-04-01] exemple -->
`;

const MUSEUM = `# 🏛️ Musée des échecs — Herbier

> Format : \`[AAAA-MM-JJ] [agent] [catégorie] [description]\`

---

## 🔴 Top Erreurs Critiques (à lire)

<!-- Exemple :
### [2026-02-10] [dev] CC-FAIL — Exemple du modèle
**Leçon** : ne compte pas
-->

### [2026-02-12] [dev] CC-FAIL — Tests oubliés avant « terminé »
**Ce qui s'est passé** : la livraison est partie sans tests
**Cause racine** : hâte
**Impact** : retour arrière,
une journée perdue
**Leçon** : lancer les tests
**Règle instaurée** : pas de « terminé » sans CC PASS

### [2026-03-01] [qa] HALLUCINATION — Route inventée
**Leçon** : lire le code

---

## 🟡 Erreurs Importantes (à connaître)

### [2026-03-05] [architect] [WRONG-ASSUMPTION] Monolithe supposé
**Leçon** : lire le contexte
**Témoin** : Zoé

## 🟢 Micro-Erreurs

### [2026-03-06] [dev] Faute de frappe dans un titre
**Leçon** : relire

## 📊 Statistiques

### [AAAA-MM-JJ] rien

## 🛠️ Ajouter une entrée

\`\`\`markdown
### [2026-01-01] [agent] CC-FAIL — titre court
**Leçon** : …
\`\`\`
`;

const MANIFEST = `name,displayName,title,icon,role,module,path
"dev","Amelia","Développeuse","💻","Écrit le code","bmm","_bmad/bmm/agents/dev.md"
botaniste,Flora,,🌿,,custom,_bmad/_config/custom/agents/botaniste.md
`;

export function stateOf(runId: string, facts: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    run_id: runId,
    workflow_path: "_bmad/bmm/workflows/dev-story/workflow.yaml",
    session_branch: "main",
    started_at: "2026-02-27T14:30:22Z",
    last_checkpoint: "2026-02-27T15:10:00Z",
    status: "running",
    steps_completed: [1, 2, 3],
    current_step: 4,
    total_steps: 8,
    resume_from_step: 4,
    session_variables: { user_name: "Zoé", api_token: "ne-pas-montrer" },
    artefacts_produced: [{ step: 1, name: "plan", path: "docs/plan.md" }],
    checkpoint_id: "40a135",
    issues: ["La file est lente"],
    agent_notes: "Reprendre par les tests",
    ...facts,
  });
}

export function kitFiles({ base, output }: KitNames): Readonly<Record<string, TreeFile>> {
  const runs = `${output}/.runs`;
  return {
    "project-context.yaml": PROJECT_CONTEXT,
    "docs/plan.md": "# Plan\n",
    [`${base}/_memory/shared-context.md`]: SHARED_CONTEXT,
    [`${base}/_memory/decisions-log.md`]: DECISIONS,
    [`${base}/_memory/failure-museum.md`]: MUSEUM,
    [`${base}/_memory/agent-learnings/dev.md`]: LEARNINGS,
    [`${base}/_memory/agent-learnings/qa.md`]:
      "# Learnings — qa\n\n> Apprentissages accumulés par cet agent.\n",
    [`${base}/_config/agent-manifest.csv`]: MANIFEST,
    [`${runs}/main/branch.json`]:
      '{"branch":"main","created_at":"2026-01-05T08:00:00Z","created_by":"sm","purpose":"Production","parent_branch":null,"status":"active"}',
    [`${runs}/main/dev-story-20260227-143022/state.json`]: stateOf("dev-story-20260227-143022"),
    [`${runs}/main/dev-story-20260101-080000/state.json`]: stateOf("dev-story-20260101-080000", {
      status: "failed",
      started_at: "2026-01-01T08:00:00Z",
      last_checkpoint: "2026-01-01T09:00:00Z",
    }),
    [`${runs}/explore-graphql/branch.json`]:
      '{\n "branch": "explore-graphql",\n "purpose": "Comparer REST et GraphQL",\n "status": "merged"\n}\n',
    [`${runs}/explore-graphql/architecture-20260201-100000/state.json`]: stateOf(
      "architecture-20260201-100000",
      {
        session_branch: "explore-graphql",
        status: "completed",
        last_checkpoint: undefined,
        started_at: undefined,
        current_step: 8,
      },
    ),
    [`${runs}/poc-vide/notes.txt`]: "rien",
    [`${runs}/prd-20251201-090000/state.json`]: stateOf("prd-20251201-090000", {
      session_branch: "sprint-0",
      status: "paused",
      last_checkpoint: "2025-12-01T09:30:00+01:00",
    }),
    [`${runs}/sprint-1/casse-20260110-000000/state.json`]: '{"status": "running"',
    [`${runs}/archive/vieux-20250101/x-20250101-000000/state.json`]: stateOf("x-20250101-000000"),
  };
}

const NO_CLEANER: Cleaner = { values: (values) => values, text: (text) => text };

const rankTexts = createTextRanker(TERMS_ONLY);

export function openKit(
  root: string,
  names: KitNames = KIT_NAMES[0],
  tools: Partial<KitFilesTools> = {},
): KitFiles {
  return openKitFiles({ root, ...names }, { ...kitTools(), ...tools });
}

/** A test over the files of the kit, under each of its names. */
export function kitTest(name: string, test: (dir: string, names: KitNames) => void | Promise<void>): void {
  for (const names of KIT_NAMES) {
    treeTest(`${names.base}: ${name}`, kitFiles(names), (dir) => test(dir, names));
  }
}

export function kitTools(): KitFilesTools {
  return {
    clean: NO_CLEANER,
    remembered: () => Promise.resolve([]),
    served: () => Promise.resolve([]),
    rank: async (...args) => (await rankTexts(...args)).map(({ id }) => id),
    script: undefined,
    limitMs: 60_000,
    now: () => Date.UTC(2026, 2, 10, 12),
    after: (ms, call) => {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    },
  };
}
