import { describeFaults } from "@phasekit/tooling/adapter-suite";
import { aiSdkHarness } from "./ai-sdk-harness.ts";
import { majors } from "./majors.ts";

/** The newest version, through both entries of the adapter. */
const newest = majors.reduce((a, b) => (b.major > a.major ? b : a));
describeFaults(aiSdkHarness(newest, "function"));
describeFaults(aiSdkHarness(newest, "agent"));
