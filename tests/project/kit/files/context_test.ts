/** Is a project's context read as its files say it, under the kit's names and under Grimoire's? */
import assert from "node:assert/strict";
import { KIT_NAMES, kitFiles, kitTest, openKit } from "../../../support/kit.ts";
import { treeTest, withTree } from "../../../support/trees.ts";

kitTest("every fact is read [memory:project-context]", async (dir, names) => {
  const { data } = await openKit(dir, names).context();
  assert.deepEqual(data["files"], [
    "project-context.yaml",
    `${names.base}/_memory/shared-context.md`,
    `${names.base}/_memory/decisions-log.md`,
    `${names.base}/_config/agent-manifest.csv`,
  ]);
  assert.deepEqual(data["problems"], []);
  assert.deepEqual(data["project"], {
    name: "Herbier",
    repository: "https://exemple.test/herbier",
    description: "Identifier des plantes d'après une photo",
    type: "webapp",
    repos: [{ name: "herbier", path: ".", default_branch: "main" }],
  });
  assert.deepEqual(data["user"], {
    name: "Zoé Martin",
    language: "Français",
    document_language: "Français",
  });
  assert.deepEqual(data["session"], { branch: "main", runsDirectory: "_bmad-output/.runs/main/" });
  assert.deepEqual(data["stack"], {
    technologies: ["go", "typescript"],
    layers: [
      { Couche: "Serveur", Technologie: "Go", Version: "1.24", Répertoire: "`api/`" },
      { Couche: "Page", Technologie: "TypeScript", Version: "5", Répertoire: "`web/`" },
    ],
    settings: { infrastructure: { host: "serveur-1", api_key: "ne-pas-montrer" } },
  });
  assert.deepEqual(data["agents"], [
    {
      name: "dev",
      displayName: "Amelia",
      title: "Développeuse",
      icon: "💻",
      role: "Écrit le code",
      module: "bmm",
      path: "_bmad/bmm/agents/dev.md",
    },
    {
      name: "botaniste",
      displayName: "Flora",
      icon: "🌿",
      module: "custom",
      path: "_bmad/_config/custom/agents/botaniste.md",
      domain: "Détermination des plantes",
      keywords: "feuille fleur",
    },
    { name: "jardinier", displayName: "Basile", icon: "🪴", domain: "Entretien" },
  ]);
  assert.deepEqual(data["decisions"], [
    { date: "2026-02-20", title: "Pas de compte obligatoire", text: "", isArchitectural: false },
    {
      date: "2026-02-20",
      title: "Photos gardées trente jours",
      text: "Accord avec le juriste.",
      isArchitectural: false,
    },
    {
      date: "2026-01-10",
      title: "Go pour le serveur [ARCH]",
      text: "**Contexte** : peu de mémoire sur le serveur.\n\nConséquences\nUne équipe à former.",
      isArchitectural: true,
    },
  ]);
  assert.deepEqual(data["architecture"], {
    Architecture: "Deux services et une file d'attente.\n\n" +
      "```\nherbier/\n## ceci n'est pas un titre\n├── api/   # serveur\n└── web/   # page\n```",
    API: "- **Format** : JSON\n\n### Routes\n| Méthode | Route |\n|---------|-------|\n| POST | `/photos` |",
  });
  assert.deepEqual(data["watchPoints"], ["[ ] Limiter la taille des photos"]);
  assert.deepEqual(data["requests"], ["[dev→qa] Vérifier l'envoi de photos de 20 Mo"]);
  assert.deepEqual(data["others"], {
    "Contexte Partagé — Herbier": "> Lu par chaque agent au démarrage.",
    "Environnement local": "Lancer `make dev`.",
  });
  assert.deepEqual(Object.keys(data["settings"] as object), ["memory", "agents", "bmad_kit_version"]);
});

treeTest(
  "one section is whole, all together are short [memory:project-context]",
  kitFiles(KIT_NAMES[0]),
  async (dir) => {
    const { context } = openKit(dir);
    const stack = (await context("stack")).text;
    assert.match(stack, /^From .*\n\n## Stack\n- go, typescript\n- infrastructure: /);
    assert.match(stack, /\n## Stack Technique\n(\|.*\n)*\| Serveur \| Go \| 1\.24 \|/);
    assert.doesNotMatch(stack, /Décision|Flora/);
    assert.match(
      (await context("agents")).text,
      /- botaniste: displayName Flora, icon 🌿, .*, domain Détermination des plantes/,
    );
    const architecture = (await context("Architecture")).text;
    assert.match(architecture, /├── api\/ {3}# serveur\n/);
    assert.match(architecture, /## Architectural decisions\n- 2026-01-10 Go pour le serveur/);
    assert.doesNotMatch(architecture, /Photos gardées/);
    assert.match((await context("decisions")).text, /Une équipe à former/);
    assert.deepEqual(Object.keys((await context("decisions")).data), [
      "files",
      "problems",
      "section",
      "project",
      "decisions",
    ]);
    const all = (await context("all")).text;
    for (
      const word of ["Herbier", "Zoé", "Amelia", "trente jours", "Limiter la taille", "dev→qa", "make dev"]
    ) {
      assert.ok(all.includes(word), word);
    }
    assert.doesNotMatch(all, /\{\{|Modèle|Exemple/);
    for (const section of ["conventions", "Points de vigilance", "points", "MEMORY", "infrastructure"]) {
      assert.match((await context(section)).text, /^From .*\n\n## /, section);
    }
    assert.match((await context("requêtes")).text, /## Requêtes inter-agents\n- \[dev→qa\] Vérifier/);
    for (
      const [wanted, hint] of [["secrets", ""], ["Convention x", " Did you mean Conventions?"]] as const
    ) {
      await assert.rejects(context(wanted), ({ message }: Error) => {
        assert.ok(
          message.startsWith(`Unknown section "${wanted}".${hint} Use one of all, stack, agents, `),
        );
        assert.match(message, /, Conventions, .*, memory/);
        return true;
      });
    }
    assert.match((await context("routes")).text, /^From .*\n\n## Routes\n\| Méthode/);
  },
);

Deno.test("a missing or broken file is reported, and the rest is read", async () => {
  await withTree({}, async (dir) => {
    const { text, data } = await openKit(dir).context();
    assert.match(text, /^No project-memory files found\. Looked for project-context\.yaml, _bmad\/_memory/);
    assert.deepEqual(data["files"], []);
  });
  await withTree({
    "project-context.yaml": "project: {name: [",
    "_bmad/_memory/shared-context.md": new Uint8Array([0xff, 0xfe, 0]),
    "_bmad/_memory/decisions-log.md": "\uFEFF## 2026-01-01 — Une\r\n\r\nTexte\r\n",
  }, async (dir) => {
    const { text, data } = await openKit(dir).context();
    assert.match(text, /Problem: project-context\.yaml: the YAML cannot be parsed/);
    assert.match(text, /Problem: _bmad\/_memory\/shared-context\.md: not readable as text/);
    assert.deepEqual(data["decisions"], [
      { date: "2026-01-01", title: "Une", text: "Texte", isArchitectural: false },
    ]);
    const { text: stack } = await openKit(dir).context("stack");
    assert.match(stack, /Nothing about stack in these files\. They have: decisions$/);
  });
});

treeTest("the kit's own names count before the other's, file by file", {
  "_bmad/_memory/project-context.yaml": "project: {name: Un}",
  "_grimoire/_memory/shared-context.md": "# C\n\n## Project\n\n- **Name**: Two\n- **Team**: Green\n",
  "_grimoire/_memory/project-context.yaml": "project: {name: Trois}",
}, async (dir) => {
  assert.deepEqual((await openKit(dir).context()).data["project"], {
    "name (shared-context.md)": "Two",
    name: "Un",
    Team: "Green",
  });
  assert.deepEqual((await openKit(dir, KIT_NAMES[1]).context()).data["project"], {
    "name (shared-context.md)": "Two",
    name: "Trois",
    Team: "Green",
  });
});

treeTest("what is below the facts is shown [memory:project-context]", {
  "project-context.yaml": "project:\n  name: Port\n  description: From the file\nuser:\n  name: Ann\n",
  "_bmad/_memory/shared-context.md":
    "# Context\n\n## Projet\n\n- **Description** : Another harbour\n\nBuilt by two sisters.\n\n" +
    "### Historique\n\n| Year | Event |\n| --- | --- |\n| 1921 | Opened |\n",
}, async (dir) => {
  const kit = openKit(dir);
  const { text } = await kit.context();
  for (const fact of ["From the file", "Another harbour", "two sisters", "1921"]) {
    assert.ok(text.includes(fact), `${fact} is missing:\n${text}`);
  }
  // The text below a fact is not part of it.
  assert.match(text, /- description \(shared-context\.md\): Another harbour\n- name: Port\n/);
  assert.match((await kit.context("user")).text, /Ann/);
  assert.match((await kit.context("project")).text, /From the file/);
});
