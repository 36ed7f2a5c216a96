/**
 * Thirty facts of software projects, each asked the way a developer asks days later: neither word for word nor with every
 * word avoided; and questions that none of them answers, of which half are about software too. Written before any of them
 * was scored. They only measure: no constant and no word list is to be changed because of what they show; then they would
 * have to be replaced.
 */
import type { Pair } from "./relevance_set.ts";

export const EVERYDAY: readonly Pair[] = [
  [
    "Access tokens expire after 15 minutes, refresh tokens after 30 days",
    "How long does a user stay logged in?",
  ],
  [
    "We chose Postgres over MongoDB because reports need joins across orders and customers",
    "Why are we using Postgres?",
  ],
  [
    "The nightly import of product data must not run before 02:00, the supplier uploads late",
    "When may the product import start?",
  ],
  [
    "All money amounts are integers in cents, never floating point numbers",
    "How do we represent prices in the code?",
  ],
  [
    "The public API allows 100 requests per minute and key, then it answers 429",
    "What is the rate limit of our API?",
  ],
  [
    "React components are written as functions; class components are rejected in review",
    "Can I write a class component?",
  ],
  [
    "Migrations are never edited once they are on main; write a new one instead",
    "I made a mistake in a migration that is already merged, what now?",
  ],
  [
    "The legacy billing service is still on Java 8 because the tax library does not support newer versions",
    "What stops us from upgrading Java in billing?",
  ],
  [
    "Error messages for users go through the translation files, hard-coded strings fail the lint",
    "Where do I put the text of an error message?",
  ],
  [
    "Maria from the data team owns the analytics pipeline",
    "Who do I ask about analytics?",
  ],
  [
    "End-to-end tests use Playwright against a seeded copy of the shop",
    "What do we use for browser tests?",
  ],
  [
    "Images are resized on upload to 320, 640 and 1280 pixels and stored as WebP",
    "Which image sizes do we generate?",
  ],
  [
    "The order service publishes events through an outbox table, because messages were lost when the broker was down",
    "How do we make sure that no event gets lost?",
  ],
  [
    "Users are soft-deleted: deleted_at is set and a job removes them after 90 days",
    "What happens when someone deletes their account?",
  ],
  [
    "The checkout page must load in less than two seconds on a 3G connection",
    "Is there a performance goal for the checkout?",
  ],
  [
    "Redis is only a cache: the system has to work when it is empty",
    "May I store sessions permanently in Redis?",
  ],
  [
    "Commit messages follow Conventional Commits, the changelog is generated from them",
    "How should I word my commits?",
  ],
  [
    "The staging environment is reset every Friday at 18:00",
    "When does my test data on staging disappear?",
  ],
  [
    "Sentry is configured to drop errors from bots and from browser extensions",
    "Why don't I see errors caused by browser plugins?",
  ],
  [
    "Search uses trigram indexes in the database; a separate search engine was not worth the effort",
    "How is the product search implemented?",
  ],
  [
    "Emails are sent through Postmark, with Amazon SES as a fallback",
    "Which provider delivers our mail?",
  ],
  [
    "The design tokens come from Figma and are exported by a GitHub action",
    "How do colours get from Figma into the code?",
  ],
  [
    "Cron jobs run in UTC, so the daily report arrives an hour later in summer",
    "Why does the report come at a different time since the clock change?",
  ],
  [
    "Administrators need a hardware key for two-factor authentication, an app is not enough",
    "What second factor do admins have to use?",
  ],
  [
    "The monolith is split along the bounded contexts catalogue, ordering and fulfilment",
    "Into which services are we breaking up the monolith?",
  ],
  [
    "Pagination uses cursors instead of offsets since the orders table grew past ten million rows",
    "How do list endpoints page through results?",
  ],
  [
    "Test coverage may not drop below 80 percent, the pipeline fails otherwise",
    "How much of the code has to be covered by tests?",
  ],
  [
    "Docker images are built on Alpine except for the PDF service, which needs fonts from Debian",
    "Why does the PDF service have another base image?",
  ],
  [
    "The customer portal supports the last two versions of Chrome, Firefox, Safari and Edge",
    "Do we have to support old browsers?",
  ],
  [
    "A hotfix branches off the release tag and is merged back into main the same day",
    "How do I ship an urgent fix to production?",
  ],
];

export const EVERYDAY_UNANSWERED: readonly string[] = [
  "Which GraphQL client does the mobile app use?",
  "How do we rotate the TLS certificates?",
  "What is the naming scheme for Kubernetes namespaces?",
  "Who approves new open source dependencies?",
  "Which machine learning model recommends articles?",
  "Where is the team offsite this year?",
  "How many people work in marketing?",
  "What is the wifi password in the office?",
  "Which headphones can I order?",
  "When is the next company anniversary?",
];

/** Thirty more, written when all constants were chosen, and scored once. */
export const LATER: readonly Pair[] = [
  [
    "Room bookings can be cancelled free of charge until 24 hours before they begin",
    "Until when can a booking be cancelled for free?",
  ],
  [
    "The mobile client talks to the backend over gRPC, the web client over REST",
    "Which protocol does the app use to reach the server?",
  ],
  [
    "Audit entries are append-only and signed, nobody may change them",
    "Can an administrator edit the audit log?",
  ],
  [
    "We pin every GitHub action to a commit hash after the incident in March",
    "Why are actions pinned to hashes?",
  ],
  [
    "The recommendation job needs 32 GB of memory, so it runs on its own node pool",
    "Where does the recommendation job run?",
  ],
  [
    "Money transfers over 10,000 euros need the approval of a second clerk",
    "When does a transfer need two people?",
  ],
  [
    "Customers without a purchase for two years get their data anonymised",
    "What do we do with the data of inactive customers?",
  ],
  ["Integration tests start their databases with Testcontainers", "How do integration tests get a database?"],
  ["The sensor firmware is updated over LoRa in chunks of 200 bytes at night", "How are sensors updated?"],
  [
    "New endpoints have to be described in the OpenAPI file before they are implemented",
    "What comes first, the API description or the code?",
  ],
  [
    "Our fonts are self-hosted, because loading them from Google was a privacy problem",
    "Why don't we load fonts from Google?",
  ],
  ["Tenants are separated by schema, not by database", "How is the data of tenants kept apart?"],
  [
    "A courier gets the next parcel only after the last one was confirmed",
    "When is a new delivery assigned to a driver?",
  ],
  [
    "The frontend is built with Svelte; React was too heavy for the kiosk tablets",
    "Which framework is the frontend written in?",
  ],
  [
    "Log lines must not contain email addresses or names of patients",
    "What is not allowed to appear in the logs?",
  ],
  ["The feature toggle new_cart is on for ten percent of the users until July", "Who sees the new cart?"],
  [
    "Prices from suppliers come as CSV files over SFTP every Monday",
    "How do we receive the suppliers' price lists?",
  ],
  [
    "The video encoder falls back to the CPU when no GPU is free for a minute",
    "What happens when all graphics cards are busy?",
  ],
  [
    "Retries use exponential backoff with jitter and stop after six attempts",
    "How often do we retry a failed call?",
  ],
  [
    "Tom maintains the Terraform modules, ask him before you change the network",
    "Who knows about our Terraform setup?",
  ],
  [
    "Dependencies are updated by Renovate on the first Tuesday of the month",
    "When are dependencies updated?",
  ],
  ["Release notes are written by the product owner, not generated", "Who writes the release notes?"],
  ["Maps are rendered from OpenStreetMap tiles that we host ourselves", "Where do our map tiles come from?"],
  [
    "The scheduler uses advisory locks of Postgres so that a job runs only once",
    "How do we prevent a job from running twice?",
  ],
  ["Appointments may not overlap, except for group therapy", "Can two appointments be at the same time?"],
  ["Git submodules were replaced by a package registry in version 4", "Do we still use submodules?"],
  [
    "The chat keeps messages for 30 days in the free plan and forever in the paid one",
    "How long are chat messages available?",
  ],
  ["Numbers in reports are rounded half to even, as the auditors demanded", "Which rounding do reports use?"],
  [
    "Only two lambdas may run at once, otherwise the licence server refuses connections",
    "Why is the concurrency of the lambdas limited?",
  ],
  [
    "Screen reader tests are done with NVDA and VoiceOver before each major release",
    "How do we check accessibility?",
  ],
];
export const LATER_UNANSWERED: readonly string[] = [
  "Which linter do we use for Python?",
  "How do we translate push notifications?",
  "What is the size limit of a Docker image?",
  "Who is on call at the weekend?",
  "How is the search index rebuilt?",
  "Where do visitors park their cars?",
  "How much is the budget for training?",
  "Which catering company do we order from?",
  "What is the dress code for customer visits?",
  "When was the company founded?",
];
