export {
  describeLeaseStore,
  type DescribeLeaseStoreOptions,
  type LeaseStoreHarness,
} from "./testing/describe-lease-store.ts";
