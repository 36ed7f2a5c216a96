/**
 * How does a test get a large PRD, architecture and UX of which it knows what each story needs?
 *
 * 24 topics of a shop, each with sections that a story of that topic needs and sections that only share its words:
 * its history, vendors, costs. The documents have words of their own; stories use them, or say the same in other words.
 */
import { chanceFrom } from "../support/chance.ts";

/** A topic: its name in documents, the words of documents, what stories call it, and their words. */
type Topic = readonly [name: string, words: string, title: string, synonyms: string];

function topicsIn(table: string): readonly Topic[] {
  return table.trim().split("\n").map((line) => line.split(" | ") as unknown as Topic);
}

const TOPICS = topicsIn(`
Authentication | credential password session token lockout hash | Log in to the shop | sign-in passcode login account
Cart | cart line quantity merge guest reservation | Fill the shopping basket | basket items amount visitor
Payment | card authorization capture gateway settlement currency | Pay for an order | money charge bank credit
Refund | refund reversal dispute chargeback approval ledger | Give money back | reimburse return complaint
Invoice | invoice numbering vat archive pdf correction | Send the bill | billing document tax receipt
Search | query index relevance facet synonym autocomplete | Find products by words | look up type suggestions results
Catalog import | feed supplier mapping validation batch duplicate | Load goods of suppliers | upload spreadsheet articles
Image pipeline | image thumbnail resize format storage watermark | Show pictures of products | photo picture gallery
Notification | email template queue bounce digest unsubscribe | Tell customers what happens | message mail inform alert
Shipping | carrier label parcel tracking dispatch warehouse | Send the parcel | delivery package courier
Pricing | discount coupon campaign rounding tier margin | Grant a rebate | voucher cheaper promotion price
Review | rating moderation abuse verified reply score | Let customers judge products | opinion stars feedback comment
Wishlist | wishlist share reminder favourite list privacy | Remember products for later | save bookmark wanted
Role | role permission grant policy administrator audit | Decide who may do what | access rights staff allowed
Audit trail | audit event retention tamper signature export | Record every change | log history who when trace
Privacy | consent erasure export retention anonymize subject | Delete personal data | gdpr forget personal information
Analytics | metric funnel cohort dashboard aggregation sampling | Measure what visitors do | statistics report numbers conversion
Cache | cache invalidation edge ttl stale purge | Make pages fast | speed slow loading performance
Localization | locale translation plural fallback script glossary | Offer several languages | language french german text
Accessibility | contrast focus keyboard reader caption landmark | Serve blind customers | disabled screen impaired
Rate limit | limit burst bucket client penalty allowance | Stop robots | bot abuse flood too many requests
Backup | snapshot restore replica recovery encryption rotation | Survive a disaster | lost data copy crash outage
Subscription | renewal interval pause dunning proration contract | Deliver every month | recurring monthly repeat plan
Stock | inventory reservation threshold replenishment count shelf | Know what is available | sold out availability supply
`);

const NEEDED = ["Responsibilities", "Data model", "Interface", "Failure handling", "Limits"] as const;
const OTHER = ["Vendors considered", "History", "Cost estimate", "Naming", "Open ideas"] as const;

/** A labelled section, by its document and its heading, below that of a chapter. */
export interface Labelled {
  readonly path: string;
  readonly chapter?: string;
  readonly heading: string;
}

const SUBJECTS = [
  ..."The service|Each node|A worker|The module|An operator|The scheduler|A request".split("|"),
  ..."Every region".split("|"),
];
const VERBS = "keeps checks returns rejects publishes compares stores removes collects renews".split(" ");
const ENDS = [
  "before the customer sees the page",
  "within one second",
  "and writes an order to the log",
  "unless the shop is closed",
  "when the list of products changes",
  "for every request of a client",
  "so that nothing is done twice",
  "as the team agreed in spring",
];

export function shopDocuments(seed: number) {
  const chance = chanceFrom(seed);
  const sentence = (words: readonly string[]) =>
    `${chance.pick(SUBJECTS)} ${chance.pick(VERBS)} the ${chance.pick(words)} and its ${
      chance.pick(words)
    } ` +
    `${chance.pick(ENDS)}.`;
  const lines = (count: number, words: readonly string[]) =>
    Array.from({ length: count }, (_, at) => at % 5 === 4 ? "" : sentence(words)).join("\n");
  const prd = ["# Product Requirements\n\n## Goals\n\nThe shop sells things.\n"];
  const architecture = ["# Architecture\n\n## Overview\n\nThe shop is a set of services.\n"];
  const ux = ["# UX\n\n## Principles\n\nThe shop is friendly.\n"];
  for (const [at, [name, listed]] of TOPICS.entries()) {
    const words = listed.split(" ");
    const ids = [0, 1, 2].map((one) => `FR${at * 3 + one + 1}`);
    prd.push(
      `## ${name}\n\n### ${name} requirements\n\n${
        ids.map((id) => `- **${id}**: ${sentence(words)}`).join("\n")
      }\n`,
      `### ${name} journey\n\n${lines(22, words)}\n`,
      `### ${name} market\n\n${lines(23, [...words, "competitor", "share"])}\n`,
    );
    architecture.push(`## ${name} service\n`);
    // Of two topics with the same words, only the order differs: chance decides.
    for (const part of [...NEEDED, ...OTHER].toSorted(() => chance.next() - 0.5)) {
      architecture.push(`### ${part}\n\n${lines(17, words)}\n`);
    }
    ux.push(`## ${name} screens\n\n${lines(12, words)}\n`);
  }
  const [PRD, ARCHITECTURE, UX] = ["out/plan/prd.md", "out/plan/architecture.md", "out/plan/ux-design.md"];
  const needsOf = (name: string): readonly Labelled[] => [
    { path: PRD, heading: `${name} requirements` },
    { path: PRD, heading: `${name} journey` },
    ...NEEDED.map((heading) => ({ path: ARCHITECTURE, chapter: `${name} service`, heading })),
    { path: UX, heading: `${name} screens` },
  ];
  const kinds = ["ids", "references", "words", "synonyms", "two topics", "bug"] as const;
  const stories = TOPICS.map(([name, listed, title, synonyms], at) => {
    const kind = kinds[at % kinds.length]!;
    const words = listed.split(" ");
    const [other] = TOPICS[(at + 7) % TOPICS.length]!;
    const own = kind === "synonyms" ? synonyms.split(" ") : words;
    const body = {
      ids: `Covers FR${at * 3 + 1}, FR${at * 3 + 2} and FR${at * 3 + 3}.`,
      references: [
        ...new Set(
          needsOf(name).map(({ path, chapter, heading }) => `- [Source: ${path}#${chapter ?? heading}]`),
        ),
      ].join("\n"),
      words: `It is about ${words.slice(0, 4).join(", ")}.`,
      synonyms: `It is about ${own.join(", ")}.`,
      "two topics": `It joins ${name.toLowerCase()} and ${other.toLowerCase()}: ${
        words.slice(0, 3).join(", ")
      }, ${TOPICS[(at + 7) % TOPICS.length]![1].split(" ").slice(0, 3).join(", ")}.`,
      bug: `After a restart the ${words[1]} is wrong, and the ${words[2]} of the ${words[0]} is lost.`,
    };
    const number = at + 1;
    const file = `out/impl/1-${number}-story.md`;
    return {
      kind,
      ref: `1-${number}`,
      file,
      text:
        `# Story 1.${number}: ${title}\n\nStatus: ready-for-dev\n\n## Story\n\nAs a customer, I want to ${title.toLowerCase()}.\n\n${
          body[kind]
        }\n\n## Acceptance Criteria\n\n1. The ${own[0]} works\n2. The ${own[1]} is shown\n\n` +
        `## Tasks / Subtasks\n\n- [ ] Build the ${own[2]}\n`,
      needs: kind === "two topics" ? [...needsOf(name), ...needsOf(other)] : needsOf(name),
    };
  });
  return {
    files: {
      [PRD]: prd.join("\n"),
      [ARCHITECTURE]: architecture.join("\n"),
      [UX]: ux.join("\n"),
      "out/impl/sprint-status.yaml": `development_status:\n${
        stories.map(({ ref }) => `  ${ref}-story: ready-for-dev\n`).join("")
      }`,
      ...Object.fromEntries(stories.map(({ file, text }) => [file, text])),
    },
    stories,
  };
}
