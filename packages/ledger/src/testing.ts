export { type DescribeRunStoreOptions, describeRunStore } from "./testing/describe-run-store.ts";
