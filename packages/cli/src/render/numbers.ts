import { words } from "@phasekit/ledger/story";

export const { age, ago, count, dollars, duration, megabytes, percent, plural, tokens } = words;
