import { describe, it } from "vitest";
import { describeWorkStore } from "../testing.ts";
import { createMemoryWorkStore } from "./memory-store.ts";

describeWorkStore("memory", () => createMemoryWorkStore(), { describe, it });
