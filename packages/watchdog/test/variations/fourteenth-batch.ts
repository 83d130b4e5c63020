import type { LoopCase } from "../case-driver.ts";
import rows from "./fourteenth-batch.json" with { type: "json" };
import { fires, type Kind, staysSilent } from "./kind.ts";

const of = (consensus: LoopCase["consensus"]) => (rows as unknown as readonly LoopCase[]).filter((row) => row.consensus === consensus).map(({ events }) => events);

/** Forty loops and sixty healthy runs by somebody else who had never seen the detectors, unchanged. */
export const fourteenthBatch: readonly Kind[] = [fires("loops of all kinds, fourteenth batch", ...of("fire")), staysSilent("healthy runs of all kinds, fourteenth batch", ...of("silent"))];
