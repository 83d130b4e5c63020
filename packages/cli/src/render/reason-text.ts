import { words } from "@phasekit/ledger/story";

export const { reasonText } = words;
