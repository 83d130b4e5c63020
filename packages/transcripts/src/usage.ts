export { anthropicUsage, codexUsage } from "./write/usage.ts";
