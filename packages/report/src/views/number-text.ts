import { words } from "@phasekit/ledger/story";

export const { cost: costText, count, duration, percent, plural, sentence, tokens } = words;
