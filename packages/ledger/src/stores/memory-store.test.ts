import { describe, it } from "vitest";
import { describeRunStore } from "../testing/describe-run-store.ts";
import { createMemoryStore } from "./memory-store.ts";

describeRunStore("memory store", createMemoryStore, { describe, it });
