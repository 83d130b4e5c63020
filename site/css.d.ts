/** A style sheet that VitePress adds to every page. */
declare module "*.css";
