import { describe, expect, it } from "vitest";
import { readDeliveries } from "./read-deliveries.ts";

describe("readDeliveries", () => {
  it.each<[line: string, found: readonly string[]]>([
    ["git commit -m 'fix'", ["commit"]],
    ["git -C /repo commit -am fix", ["commit"]],
    ["git add -A && git commit -m x && git push -u origin HEAD", ["stage", "commit", "push"]],
    ["bash -lc 'git commit -m x'", ["commit"]],
    ["git commit --no-verify -m x", ["commit", "no-verify"]],
    ["git commit -nm x", ["commit", "no-verify"]],
    ["git push --no-verify", ["push", "no-verify"]],
    ["git push --dry-run", []],
    ["gh pr create --fill", ["pull-request"]],
    ["glab mr create -t x", ["pull-request"]],
    ["gh pr checks 12 --watch", ["ci"]],
    ["gh run watch --exit-status", ["ci"]],
    ["git status", []],
    ["gh pr view", []],
    ["echo 'git push'", []],
    ["echo git push", []],
    ["rtk git add a.ts && rtk git commit -m x", ["stage", "commit"]],
    ["npm test", []],
    ["npm publish --access public", ["release"]],
    ["npm publish --dry-run", []],
    ["docker push ghcr.io/a/b:1", ["release"]],
    ["git tag v1.2.0", ["release"]],
    ["git tag", []],
    ["git rebase origin/main", ["merge"]],
    ["git rebase --abort", []],
    ["gh pr merge 12 --squash", ["merge"]],
    ["gh pr comment 12 --body ok", ["comment"]],
    ["gh issue create -t x", ["comment"]],
    ["gh release create v1", ["release"]],
  ])("%s delivers %j", (line, found) => {
    expect(readDeliveries(line)).toEqual(found);
  });
});
