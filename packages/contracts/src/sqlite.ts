export { createSqliteWorkStore, type SqliteWorkStoreOptions } from "./sqlite/sqlite-work-store.ts";
