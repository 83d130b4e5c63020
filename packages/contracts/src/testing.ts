export { describeWorkStore, type DescribeWorkStoreOptions } from "./testing/describe-work-store.ts";
