export { describeWorkStore, type DescribeWorkStoreOptions } from "./testing/describe-work-store.ts";
export { buildContracts } from "./testing/build-contracts.ts";
