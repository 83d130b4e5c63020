import type { LoopCase } from "../case-driver.ts";
import rows from "./fifteenth-batch.json" with { type: "json" };
import { fires, type Kind, staysSilent } from "./kind.ts";

const of = (consensus: LoopCase["consensus"]) => (rows as unknown as readonly LoopCase[]).filter((row) => row.consensus === consensus).map(({ events }) => events);

/** Forty loops and sixty healthy runs, two thirds of them of coding agents, by a third person who had never seen the detectors, unchanged. */
export const fifteenthBatch: readonly Kind[] = [fires("loops of all kinds, fifteenth batch", ...of("fire")), staysSilent("healthy runs of all kinds, fifteenth batch", ...of("silent"))];
