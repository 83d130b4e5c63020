import { describe, it } from "vitest";
import { describeAdapter } from "../src/testing.ts";
import { plainLoop } from "./plain-loop.ts";

describeAdapter(plainLoop, { describe, it });
