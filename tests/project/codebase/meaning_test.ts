/**
 * Is a symbol found by what it means, where a question has none of its words?
 *
 * Short here; with `BMAD_MCP_SOAK=1` as long as the promise says: 40 questions over 5,000 symbols.
 */
import assert from "node:assert/strict";
import { openCodebase } from "../../../src/project/codebase/mod.ts";
import { spellOut, symbolsOf } from "../../../src/project/codebase/meaning.ts";
import { openAnalyzer, stemsOf } from "../../../src/project/kit/memory/mod.ts";
import { cacheVectors } from "../../../src/project/kit/memory/store/rankers.ts";
import { cpuClock } from "../../support/cpu.ts";
import { CONTENT } from "../../support/recall.ts";
import { type TreeFile, withTree } from "../../support/trees.ts";
import { openKeptEmbedder } from "../../support/vectors.ts";

/** A file, the only symbol in it, and a question that it answers. */
type CodeTarget = readonly [file: string, symbol: string, question: string];

const CODE_TARGETS: readonly CodeTarget[] = [
  ["auth/login.ts", "checkPassword", "who verifies credentials"],
  ["auth/session.ts", "expireIdleSessions", "when is somebody logged out automatically"],
  ["billing/invoice.ts", "renderInvoicePdf", "where do we produce the bill as a document"],
  ["billing/tax.ts", "computeVat", "value added tax calculation"],
  ["billing/refund.ts", "issueRefund", "give money back to the customer"],
  ["cart/cart.ts", "addItemToBasket", "put a product into the shopping cart"],
  ["cart/coupon.ts", "applyDiscountCode", "voucher reduces the price"],
  ["stock/warehouse.ts", "reserveStock", "hold goods in the inventory"],
  ["ship/label.ts", "printShippingLabel", "sticker for the parcel"],
  ["ship/track.ts", "fetchTrackingStatus", "where is my package now"],
  ["mail/welcome.ts", "sendWelcomeEmail", "greet a new user by post"],
  ["mail/bounce.ts", "handleBouncedMail", "undeliverable messages"],
  ["db/migrate.ts", "runMigrations", "upgrade the database schema"],
  ["db/pool.ts", "acquireConnection", "get a database handle from the pool"],
  ["http/limit.ts", "throttleRequests", "slow down clients that call too often"],
  ["http/cors.ts", "allowOrigin", "which websites may call us from a browser"],
  ["img/resize.ts", "createThumbnail", "make a small preview of a picture"],
  ["img/crop.ts", "cropImage", "cut the edges of a photo"],
  ["util/retry.ts", "retryWithBackoff", "try again after a failure with growing pauses"],
  ["util/slug.ts", "slugify", "turn a title into a part of a URL"],
  ["util/money.ts", "formatCurrency", "show an amount with its symbol"],
  ["util/clock.ts", "parseDuration", "read a time span such as 5 minutes"],
  ["log/audit.ts", "recordAuditTrail", "keep a history of who changed what"],
  ["log/mask.ts", "redactSecrets", "hide sensitive values in output"],
  ["search/index.ts", "rebuildSearchIndex", "refresh what full text queries use"],
  ["search/rank.ts", "scoreRelevance", "order results by how well they fit"],
  ["queue/worker.ts", "processBackgroundJob", "work that is done asynchronously"],
  ["queue/dead.ts", "moveToDeadLetter", "jobs that failed for good"],
  ["i18n/translate.ts", "loadTranslations", "texts in other languages"],
  ["user/delete.ts", "eraseAccount", "remove a person's data"],
  ["user/avatar.ts", "uploadProfilePicture", "change my portrait"],
  ["user/roles.ts", "hasPermission", "is somebody allowed to do this"],
  ["file/zip.ts", "compressFolder", "pack a directory into an archive"],
  ["file/checksum.ts", "hashFile", "fingerprint of a document"],
  ["report/export.ts", "exportCsv", "download the table as a spreadsheet"],
  ["report/chart.ts", "drawChart", "plot the figures"],
  ["geo/distance.ts", "haversine", "how far apart are two places"],
  ["pay/card.ts", "chargeCreditCard", "take the payment"],
  ["pay/webhook.ts", "verifyWebhookSignature", "make sure that a callback is authentic"],
  ["cfg/env.ts", "loadEnvironment", "read settings at startup"],
];

const NOUNS =
  ("Orbit Comet Nebula Telescope Crater Recipe Oven Dough Spice Kettle Pawn Knight Bishop Checkmate Opening Chord " +
    "Melody Tempo Violin Drum Granite Basalt Fossil Quartz Glacier Petal Root Pollen Seedling Orchard Locomotive " +
    "Platform Carriage Signal Tunnel Cloud Rainfall Thunder Barometer Breeze Goalkeeper Racket Marathon Referee " +
    "Stadium Actor Curtain Costume Rehearsal Stage Violet Falcon Badger Salmon Antler Anchor Harbour Mast " +
    "Lighthouse Tide").split(" ");
const VERBS =
  ("get set build update compute find load create make add draw list count merge open close read write show start " +
    "stop move select filter sort collect split join reset toggle").split(" ");
const ENDINGS = ["", "Name", "Size", "Map", "List", "State", "Options"];
const FILES = ["core", "view", "store", "util", "model", "api"];

function codeProject(others: number): Readonly<Record<string, string>> {
  const files = new Map<string, string>(
    CODE_TARGETS.map((
      [file, symbol],
    ) => [file, `export function ${symbol}(given: unknown) {\n  return given;\n}\n`]),
  );
  for (let at = 0; at < others; at++) {
    const round = Math.floor(at / NOUNS.length);
    const noun = NOUNS[at % NOUNS.length]!, other = NOUNS[(at * 13 + 5) % NOUNS.length]!;
    const verb = VERBS[(at * 7 + round) % VERBS.length]!, ending = ENDINGS[round % ENDINGS.length]!;
    const file = `lib/${noun.toLowerCase()}/${FILES[round % FILES.length]}.ts`;
    const symbol = at % 3 === 2
      ? `export interface ${noun}${ending}Kind${at % 50} {\n  readonly id: number;\n}\n`
      : `export function ${verb}${noun}${
        at % 3 === 0 ? ending : other
      }(given: number) {\n  return given;\n}\n`;
    files.set(file, (files.get(file) ?? "") + symbol);
  }
  return Object.fromEntries(files);
}

const IS_LONG = Deno.env.get("BMAD_MCP_SOAK") === "1";
const OTHERS = IS_LONG ? 4_960 : 460;
const ASKED = IS_LONG ? CODE_TARGETS : CODE_TARGETS.filter((_, at) => at % 6 === 0);

interface CodeHit {
  readonly path: string;
  readonly line: number;
  readonly words: readonly string[];
  readonly semantic?: number;
}

type Search = (
  query: string,
  limit?: number,
) => Promise<{ readonly text: string; readonly hits: readonly CodeHit[] }>;

/** Searches a project by words and meaning; without an embedder, by words only. */
async function withCode(
  files: Readonly<Record<string, TreeFile>>,
  work: (search: Search) => Promise<void>,
  isFailing = false,
): Promise<void> {
  const analyze = openAnalyzer(CONTENT), embedder = await openKeptEmbedder();
  const cached = cacheVectors(embedder);
  await withTree(files, async (root) => {
    const codebase = openCodebase({
      root,
      stemsOf: (text) => stemsOf(analyze(text)),
      clean: (text) => text.replaceAll("hunter2", "[removed]"),
      now: Date.now,
      after: () => () => {},
      meaning: {
        english: (question) => analyze(question).english,
        embed: async (texts, { signal }) => isFailing ? undefined : await cached.embed(texts, signal),
        embedWords: async (words, { signal }) =>
          isFailing ? undefined : await embedder.embedWords(words, signal),
      },
    });
    await work(async (query, limit = 5) => {
      const { text, data } = await codebase.search({ query, limit });
      return { text, hits: data["hits"] as readonly CodeHit[] };
    });
  });
  embedder.close();
}

Deno.test("a question in other words finds the symbol that answers it [memory:codebase-meaning]", () =>
  withCode(codeProject(OTHERS), async (search) => {
    const missed: string[] = [];
    for (const [file, , question] of ASKED) {
      const { hits } = await search(question);
      if (!hits.some(({ path }) => path === file)) missed.push(question);
    }
    const recall = 1 - missed.length / ASKED.length;
    assert.ok(recall >= 0.7, `recall@5 ${recall}: ${missed.join("; ")}`);
  }));

const SHOP = {
  "src/login.ts":
    "// The login form.\n\nexport function checkPassword(given: string) {\n  return given !== '';\n}\n",
  "src/logo.ts": "export function drawLogo() {}\n",
  "src/tides.py": "class TideTable:\n    def next_high_water(self):\n        pass\n",
  "docs/guide.md": "The credentials are explained by the person who verifies them, see below.\n",
};

Deno.test("words come first, then what is close in meaning [memory:codebase-meaning]", () =>
  withCode(SHOP, async (search) => {
    const { hits, text } = await search("who verifies credentials");
    assert.deepEqual(hits.slice(0, 2).map(({ path, line }) => `${path}:${line}`), [
      "docs/guide.md:1",
      "src/login.ts:3",
    ]);
    assert.deepEqual([hits[0]!.semantic, hits[1]!.words], [undefined, []]);
    assert.ok(hits[1]!.semantic! > 0.2);
    assert.match(text, /^src\/login\.ts:3 \(close in meaning\)$/m);
    // One word that a file has is not a question.
    assert.deepEqual((await search("logo")).hits.map(({ path, semantic }) => [path, semantic]), [
      ["src/logo.ts", undefined],
    ]);
  }));

/** A question, the names in the file that answers it, and the one that is meant: earlier ones share a word with it. */
const MEANT: readonly (readonly [question: string, names: string, meant: string])[] = [
  [
    "who verifies credentials",
    "cacheKey loadCredentials sessionLength checkPassword logOut",
    "checkPassword",
  ],
  [
    "try again when sending mail fails",
    "mailLimit queueMail deliverMessages retryFailedDelivery",
    "retryFailed",
  ],
  ["remove old entries of the queue", "queueLength queueName dropExpired takeNext", "dropExpired"],
  ["hide passwords in the log", "logLevel logPath maskSecrets rotateFiles", "maskSecrets"],
  ["undo the changes to a table", "tableName tableColumns rollBack beginTransaction", "rollBack"],
];

Deno.test("the line of a file is that of the symbol that is meant [memory:codebase-meaning]", () => {
  const files = ["auth", "mail", "queue", "log", "db"].map((name, at) => {
    const declared = MEANT[at]![1].split(" ").map((one) => `export function ${one}() {\n  return 0;\n}\n`);
    return [`src/${name}.ts`, declared.join("\n")] as const;
  });
  return withCode(Object.fromEntries(files), async (search) => {
    for (const [at, [question, , meant]] of MEANT.entries()) {
      const [path, text] = files[at]!;
      const hit = (await search(question)).hits.find((hit) => hit.path === path)!;
      assert.match(text.split("\n")[hit.line - 1]!, new RegExp(meant), question);
    }
  });
});

Deno.test("in French too, and by words alone if the embedder fails [memory:codebase-meaning]", async () => {
  await withCode(SHOP, async (search) => {
    const { hits } = await search("vérification du mot de passe");
    assert.equal(hits[0]!.path, "src/login.ts");
  });
  await withCode(SHOP, async (search) => {
    const { hits } = await search("who verifies credentials");
    assert.deepEqual(hits.map(({ path }) => path), ["docs/guide.md"]);
  }, true);
});

Deno.test("what is hidden is not compared either [memory:codebase-secrets]", () =>
  withCode({ "a.ts": "// hunter2\nexport function ordinary() {}\n" }, async (search) => {
    assert.equal((await search("the hunter hunts")).hits.some(({ words }) => words.length > 0), false);
  }));

const DECLARATIONS: readonly (readonly [path: string, line: string, name: string | undefined])[] = [
  ["a.ts", "export async function checkToken(token: string) {", "check token"],
  ["a.ts", "export const MAX_SIZE = 12;", "max size"],
  ["a.ts", "  const toRow = (item: Item) => item.row;", "to row"],
  ["a.ts", "  const row = 12;", undefined],
  ["a.ts", "  async findAll(given: string): Promise<void> {", "find all"],
  ["a.ts", "  if (isReady) {", undefined],
  ["a.py", "    def send_mail(self, to):", "send mail"],
  ["a.py", "class HTTPServer(Base):", "http server"],
  ["a.go", "func (s *Store) DeleteUser(id int) error {", "delete user"],
  ["a.rs", "pub(crate) unsafe fn parse_header(input: &str) -> Header {", "parse header"],
  ["A.java", "  public static boolean checkPassword(String given) {", "check password"],
  ["a.rb", "  def self.find_by_email(email)", "find by email"],
  ["a.kt", "fun String.toSlug(): String {", "to slug"],
  ["a.sql", "CREATE TABLE customer_orders (", "customer orders"],
  ["a.php", "    private function chargeCard($card) {", "charge card"],
  ["a.sh", "clean_up() {", "clean up"],
  ["a.c", "static int read_frame(struct frame *f) {", "read frame"],
  ["a.swift", "  func loadImage(named name: String) {", "load image"],
  ["a.ex", "  defp normalise_name(name) do", "normalise name"],
  ["a.md", "function explained in prose", undefined],
];

Deno.test("declarations of many languages are symbols, with the comment beside them", () => {
  for (const [path, line, name] of DECLARATIONS) {
    const found = symbolsOf(path, `\n${line}\n`).map(({ text }) => text.replace(/^a /, ""));
    assert.deepEqual(found, name === undefined ? [] : [name], line);
  }
  const source = "/**\n * Sends a letter.\n * @param to whom\n */\n@Post\nexport function send() {}\n";
  assert.deepEqual(symbolsOf("src/mail/post.ts", source), [
    { line: 6, text: "mail post send Sends a letter param to whom" },
  ]);
  assert.deepEqual(symbolsOf("x/y.py", 'def go():\n    """\n    Walks on.\n    """\n'), [
    { line: 1, text: "x y go Walks on" },
  ]);
  assert.equal(spellOut("parseHTTPHeader2Map_of$things"), "parse http header2 map of things");
});

Deno.test("no source takes long to read for symbols [memory:hostile]", () => {
  const sources = [
    `${"export   ".repeat(30_000)}x`,
    `${"a ".repeat(200_000)}(`,
    `${" ".repeat(300_000)}function`,
    "function x(\n".repeat(60_000),
    `${"/*".repeat(200_000)}\nfunction f() {`,
    `const ${"a".repeat(400_000)} = 1`,
    "@x\n".repeat(60_000) + "class A {",
    `${"const a = ".repeat(50_000)}=>`,
  ];
  for (const source of sources) {
    const took = cpuClock();
    assert.ok(symbolsOf("a.ts", source).length <= 2_000);
    assert.ok(took() < 2_000, source.slice(0, 40));
  }
});
