export { createArtifactFiles, type ArtifactFilesOptions } from "./node/artifact-files.ts";
export { loadContracts } from "./node/load-contracts.ts";
export { createPromoter, type PromoterOptions } from "./node/promote-artifact.ts";
