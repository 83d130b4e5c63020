export type { Client, DatabaseOptions, Pool } from "./database.ts";
export { migrate, type MigrateOptions, type Migration, type MigrationReport } from "./migrate.ts";
export { postgresLeaseStore, type PostgresLeaseStoreOptions } from "./postgres-lease-store.ts";
export { type PersonAnswer, type PostgresReviewInbox, postgresReviewInbox, type PostgresReviewInboxOptions } from "./postgres-review-inbox.ts";
export { postgresRunStore, type PostgresRunStore, type PostgresRunStoreOptions } from "./postgres-run-store.ts";
export { postgresWorkStore } from "./postgres-work-store.ts";
export { type Shipper, type ShipReport, shipRuns, type ShipRunsOptions } from "./ship-runs.ts";
export { type DeliveredEvent, postgresSubscription, type Subscription, type SubscriptionOptions } from "./subscription.ts";
export { type ChangeOptions, type ChangeTopic, type ChangeWatch, watchChanges } from "./watch-changes.ts";
