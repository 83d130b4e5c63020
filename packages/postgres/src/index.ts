export type { Client, DatabaseOptions, Pool } from "./database.ts";
export { migrate, type MigrateOptions, type Migration, type MigrationReport } from "./migrate.ts";
export { createPostgresLeaseStore, type PostgresLeaseStoreOptions } from "./postgres-lease-store.ts";
export {
  type PersonAnswer,
  type PostgresReviewInbox,
  createPostgresReviewInbox,
  type PostgresReviewInboxOptions,
} from "./postgres-review-inbox.ts";
export { createPostgresRunStore, type PostgresRunStore, type PostgresRunStoreOptions } from "./postgres-run-store.ts";
export { createPostgresWorkStore } from "./postgres-work-store.ts";
export { type Shipper, type ShipReport, shipRuns, type ShipRunsOptions } from "./ship-runs.ts";
export {
  type DeliveredEvent,
  createPostgresSubscription,
  type Subscription,
  type SubscriptionOptions,
} from "./postgres-subscription.ts";
export { type ChangeOptions, type ChangeTopic, type ChangeWatch, watchChanges } from "./watch-changes.ts";
