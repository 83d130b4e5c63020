export { describeWorkStore, type DescribeWorkStoreOptions } from "./testing/describe-work-store.ts";
export { buildContract, buildContracts } from "./testing/build-contracts.ts";
