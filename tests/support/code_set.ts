/**
 * A project whose symbols are asked for in other words: 40 of an invented shop, among thousands about other subjects.
 *
 * No symbol has a comment, so that names alone must do.
 */

/** A file, the only symbol in it, and a question that it answers. */
type CodeTarget = readonly [file: string, symbol: string, question: string];

export const CODE_TARGETS: readonly CodeTarget[] = [
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

/** The files of the project, with so many symbols beside those that are asked for. */
export function codeProject(others: number): Readonly<Record<string, string>> {
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
