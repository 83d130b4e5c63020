import { expect, it } from "vitest";
import { interpret } from "../__fixtures__/interpret.ts";

// Outputs with verdict, "passed/failed" and failing tests, written down by somebody who had not seen the rules; where
// either of two verdicts is right both stand.
type Row = readonly [
  what: string,
  command: string,
  exitCode: number | undefined,
  output: string,
  verdict: string,
  counts?: string,
  failing?: readonly string[],
];

const OUTPUTS: readonly Row[] = [
  [
    "jest green",
    "npx jest",
    0,
    "PASS src/sum.test.js\nPASS src/format.test.js\n\nTest Suites: 2 passed, 2 total\n" +
      "Tests:       14 passed, 14 total\nSnapshots:   0 total\nTime:        1.204 s\n" +
      "Ran all test suites.",
    "pass",
    "14/0",
  ],
  [
    "jest one red",
    "npm test",
    1,
    "> shop@1.0.0 test\n> jest\n\n FAIL  src/cart.test.ts\n  ● Cart › total › applies discount\n" +
      "\n    expect(received).toBe(expected) // Object.is equality\n" +
      "\n    Expected: 90\n    Received: 100\n\n      12 |     cart.add({ price: 100 });\n" +
      "      13 |     cart.discount(0.1);\n    > 14 |     expect(cart.total()).toBe(90);\n" +
      "         |                          ^\n\n      at Object.<anonymous> (src/cart.test.ts:14:26)\n" +
      "\n PASS  src/user.test.ts\n\nTest Suites: 1 failed, 1 passed, 2 total\n" +
      "Tests:       1 failed, 9 passed, 10 total\nSnapshots:   0 total\n" +
      "Time:        2.31 s\nRan all test suites.",
    "fail",
    "9/1",
    ["Cart › total › applies discount"],
  ],
  [
    "jest found none and exits 1; never a pass",
    "npx jest src/nothing",
    1,
    "No tests found, exiting with code 1\nRun with `--passWithNoTests` to exit with code 0\n" +
      "In /repo\n  214 files checked.\n  testMatch: **/__tests__/**/*.[jt]s?(x), **/?(*.)+(spec|test).[jt]s?(x) - 30 " +
      "matches\n  testPathIgnorePatterns: /node_modules/ - 214 matches\n" +
      "  testRegex:  - 0 matches\nPattern: src/nothing - 0 matches",
    "fail|unknown",
  ],
  [
    "no tests ran is never a pass",
    "npx jest --passWithNoTests nothing",
    0,
    "No tests found, exiting with code 0",
    "unknown",
  ],
  [
    "coloured jest, exit code hidden by tail",
    "npx jest src/api 2>&1 | tail -6",
    0,
    "\u001b[1mTest Suites: \u001b[22m\u001b[1m\u001b[31m1 failed\u001b[39m\u001b[22m, \u001b[1m\u001b[32m3 " +
      "passed\u001b" +
      "[39m\u001b[22m, 4 total\n\u001b[1mTests:       \u001b[22m\u001b[1m\u001b[31m2 " +
      "failed\u001b[39m\u001b[22m, \u001b" +
      "[1m\u001b[33m1 skipped\u001b[39m\u001b[22m, \u001b[1m\u001b[32m40 passed\u001b[39m\u001b[22m, 43 total\n" +
      "\u001b[1mSnapshots:   \u001b[22m\u001b[1m\u001b[32m2 passed\u001b[39m\u001b[22m, 2 total\n" +
      "\u001b[1mTime:\u001b[22m        4.1 s\n\u001b[2mRan all test suites\u001b[22m\u001b[2m matching " +
      "\u001b[22m/src\\" +
      "/api/i\u001b[2m.\u001b[22m",
    "fail",
    "40/2",
  ],
  [
    "suite failed to load",
    "npx jest",
    1,
    "FAIL src/app.test.tsx\n  ● Test suite failed to run\n\n    Cannot find module './missing' from 'src/app.tsx'\n" +
      "\n    Require stack:\n      src/app.tsx\n      src/app.test.tsx\n" +
      "\n      at Resolver._throwModNotFoundError (node_modules/jest-resolve/build/resolver.js:427:11)\n" +
      "\nTest Suites: 1 failed, 1 total\nTests:       0 total\nSnapshots:   0 total\n" +
      "Time:        0.8 s\nRan all test suites.",
    "fail",
  ],
  [
    "names with error/failed, coverage table",
    "npx jest --coverage",
    0,
    "PASS src/error.test.ts\n  ✓ throws error when input failed validation (3 ms)\n" +
      "  ✓ does not fail on empty error list\n\n" +
      "----------|---------|----------|---------|---------|-------------------" +
      "\nFile      | % Stmts | % Branch | % Funcs | % Lines | Uncovered Line #s \n" +
      "----------|---------|----------|---------|---------|-------------------\n" +
      "All files |   91.66 |       75 |     100 |   91.66 |                   \n" +
      " error.ts |   91.66 |       75 |     100 |   91.66 | 12                \n" +
      "----------|---------|----------|---------|---------|-------------------\n" +
      "\nTest Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\n" +
      "Snapshots:   0 total\nTime:        1.9 s",
    "pass",
    "2/0",
  ],
  [
    "tests green but coverage threshold makes the run exit 1; trusted exit code decides",
    "npx jest --coverage --ci",
    1,
    "PASS src/a.test.ts\n-----|---------|----------|\nFile | % Stmts | % Branch |\n" +
      "-----|---------|----------|\n a.ts|   61.5  |       50 |\n-----|---------|----------|\n" +
      'Jest: "global" coverage threshold for statements (80%) not met: 61.5%\n' +
      "\nTest Suites: 1 passed, 1 total\nTests:       5 passed, 5 total\n" +
      "Snapshots:   0 total\nTime:        1.1 s",
    "fail",
    "5/0",
  ],
  [
    "vitest green",
    "npx vitest run",
    0,
    "\n\n RUN  v1.6.0 /repo\n\n ✓ src/date.test.ts (12)\n ✓ src/money.test.ts (4)\n" +
      "\n Test Files  2 passed (2)\n      Tests  16 passed (16)\n   Start at  10:22:01\n" +
      "   Duration  512ms (transform 60ms, setup 0ms, collect 90ms, tests 21ms, environment 0ms, prepare 120ms)\n",
    "pass",
    "16/0",
  ],
  [
    "vitest two red",
    "pnpm vitest run",
    1,
    " RUN  v2.1.4 /repo\n\n ❯ src/parse.test.ts (5 tests | 2 failed) 14ms\n" +
      "   × parse > handles empty string 4ms\n     → expected undefined to deeply equal []\n" +
      "   × parse > handles quotes 2ms\n     → Unterminated quote\n" +
      " ✓ src/emit.test.ts (3 tests) 4ms\n\n⎯⎯⎯⎯⎯⎯⎯ Failed Tests 2 ⎯⎯⎯⎯⎯⎯⎯\n" +
      "\n FAIL  src/parse.test.ts > parse > handles empty string\nAssertionError: expected undefined to deeply equal " +
      "[]\n ❯ src/parse.test.ts:8:23\n\n FAIL  src/parse.test.ts > parse > handles quotes\n" +
      "SyntaxError: Unterminated quote\n ❯ src/parse.ts:40:11\n\n⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[2/2]⎯\n" +
      "\n Test Files  1 failed | 1 passed (2)\n      Tests  2 failed | 6 passed (8)\n" +
      "   Start at  09:00:11\n   Duration  801ms",
    "fail",
    "6/2",
    ["parse > handles empty string", "parse > handles quotes"],
  ],
  [
    "vitest found none, exit 1",
    "npx vitest run src/none",
    1,
    " RUN  v2.1.4 /repo\n\nNo test files found, exiting with code 1\n" +
      "\nfilter: src/none\ninclude: **/*.{test,spec}.?(c|m)[jt]s?(x)",
    "fail|unknown",
  ],
  [
    "vitest tail with skipped",
    "npx vitest run --reporter=dot 2>&1 | tail -5",
    undefined,
    " Test Files  18 passed | 1 skipped (19)\n      Tests  203 passed | 4 skipped | 2 todo (209)\n" +
      "   Start at  14:02:33\n   Duration  6.21s",
    "pass",
    "203/0",
  ],
  [
    "unhandled error makes vitest exit 1",
    "npx vitest run",
    1,
    " ✓ src/a.test.ts (3 tests) 3ms\n\n⎯⎯⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯⎯⎯\n" +
      "\nVitest caught 1 unhandled error during the test run.\nThis might cause false positive tests. Resolve " +
      "unhandled" +
      " errors to make sure your tests are not affected.\n\n⎯⎯⎯⎯⎯ Unhandled Rejection ⎯⎯⎯⎯⎯\n" +
      "Error: connect ECONNREFUSED 127.0.0.1:5432\n\n Test Files  1 passed (1)\n" +
      "      Tests  3 passed (3)\n     Errors  1 error\n   Start at  11:11:11\n" +
      "   Duration  300ms",
    "fail",
    "3/",
  ],
  [
    "mocha one red",
    "npx mocha",
    1,
    "\n\n  Parser\n    ✔ parses numbers\n    ✔ reports failing input\n" +
      "    1) rejects trailing comma\n\n\n  2 passing (14ms)\n  1 failing\n" +
      "\n  1) Parser\n       rejects trailing comma:\n     AssertionError: expected [Function] to throw an error\n" +
      "      at Context.<anonymous> (test/parser.spec.js:20:8)\n\n",
    "fail",
    "2/1",
    ["Parser rejects trailing comma"],
  ],
  [
    "mocha dot with pending",
    "npx mocha --reporter dot",
    0,
    "\n\n  ․․․․․․․․․․․․\n\n  12 passing (31ms)\n  2 pending\n",
    "pass",
    "12/0",
  ],
  [
    "mocha with no file exits 1",
    "npx mocha test/none.js",
    1,
    'Error: No test files found: "test/none.js"',
    "fail|unknown",
  ],
  ["zero tests ran", "npx mocha 2>&1 | tail -3", undefined, "  0 passing (2ms)", "unknown"],
  [
    "node spec reporter red",
    "node --test",
    1,
    "✔ adds (0.71ms)\n✖ divides by zero (1.2ms)\nℹ tests 2\nℹ suites 0\n" +
      "ℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 61.2\n" +
      "\n✖ failing tests:\n\ntest at test/math.test.js:7:1\n✖ divides by zero (1.2ms)\n" +
      "  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:",
    "fail",
    "1/1",
    ["divides by zero"],
  ],
  [
    "TAP green, name with fails/error",
    "node --test | cat",
    0,
    "TAP version 13\n# Subtest: adds\nok 1 - adds\n  ---\n  duration_ms: 0.6\n" +
      "  ...\n# Subtest: fails gracefully on error\nok 2 - fails gracefully on error\n" +
      "  ---\n  duration_ms: 0.4\n  ...\n1..2\n# tests 2\n# suites 0\n" +
      "# pass 2\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 55.1",
    "pass",
    "2/0",
  ],
  [
    "no tests ran",
    "node --test test/",
    0,
    "ℹ tests 0\nℹ suites 0\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 4.3",
    "unknown",
  ],
  [
    "ava one red",
    "npx ava",
    1,
    "\n\n  ✔ cli › prints version\n  ✖ cli › unknown flag exits 2 \n" +
      "  ─\n\n  cli › unknown flag exits 2\n\n  test/cli.js:20\n\n   19:   const r = await run(['--nope']);\n" +
      "   20:   t.is(r.exitCode, 2);\n\n  Difference (- actual, + expected):\n" +
      "\n  - 1\n  + 2\n\n  ─\n\n  1 test failed\n",
    "fail",
    "/1",
    ["cli › unknown flag exits 2"],
  ],
  ["ava green", "npx ava", 0, "  ✔ cli › prints version\n  ✔ cli › help\n  ─\n\n  2 tests passed", "pass", "2/0"],
  [
    "playwright red after retry",
    "npx playwright test",
    1,
    "Running 6 tests using 3 workers\n\n  ✓  1 [chromium] › login.spec.ts:5:5 › logs in (1.2s)\n" +
      "  ✘  2 [chromium] › login.spec.ts:15:5 › wrong password shows error (5.1s)\n" +
      "  ✘  3 [chromium] › login.spec.ts:15:5 › wrong password shows error (retry #1) (5.0s)\n" +
      "\n  1) [chromium] › login.spec.ts:15:5 › wrong password shows error ──────────\n" +
      "\n    Error: Timed out 5000ms waiting for expect(locator).toBeVisible()\n" +
      "\n  1 failed\n    [chromium] › login.spec.ts:15:5 › wrong password shows error ──────────\n" +
      "  5 passed (14.3s)",
    "fail",
    "5/1",
    ["[chromium] › login.spec.ts:15:5 › wrong password shows error"],
  ],
  [
    "flaky passed at retry, exit 0",
    "npx playwright test",
    0,
    "Running 10 tests using 4 workers\n  ✘  3 [webkit] › cart.spec.ts:9:5 › removes item (6.0s)\n" +
      "  ✓  4 [webkit] › cart.spec.ts:9:5 › removes item (retry #1) (1.1s)\n" +
      "\n  1 flaky\n    [webkit] › cart.spec.ts:9:5 › removes item ─────────────\n" +
      "  9 passed (22.0s)",
    "pass",
    "9/0",
  ],
  ["playwright exits 1 without tests", "npx playwright test", 1, "Error: No tests found", "fail|unknown"],
  [
    "cypress red",
    "npx cypress run",
    1,
    "  Checkout\n    ✓ shows total (812ms)\n    1) applies coupon\n" +
      "\n  1 passing (6s)\n  1 failing\n\n  1) Checkout\n       applies coupon:\n" +
      "     AssertionError: Timed out retrying after 4000ms: Expected to find element: `.discount`, but never found " +
      "it.\n\n  (Results)\n\n  " +
      "┌───────────────────────────────────────────────────────────────────────────────────────" +
      "─────────┐\n  │ Tests:        2                                                                             " +
      "   │\n  │ Passing:      1                                                                                │\n" +
      "  │ Failing:      1                                                                                │\n" +
      "  │ Pending:      0                                                                                │\n" +
      "  │ Skipped:      0                                                                                │\n" +
      "  └────────────────────────────────────────────────────────────────────────────────────────────────┘\n" +
      "\n====================================================================================================\n" +
      "\n  (Run Finished)\n\n       Spec                                              Tests  Passing  Failing " +
      " Pending " +
      " Skipped  \n  " +
      "┌────────────────────────────────────────────────────────────────────────────────────────────────┐" +
      "\n  │ ✖  checkout.cy.ts                           00:06        2        1        1        -        - │\n" +
      "  └────────────────────────────────────────────────────────────────────────────────────────────────┘\n" +
      "    ✖  1 of 1 failed (100%)                     00:06        2        1        1        -        -  ",
    "fail",
    "1/1",
    ["Checkout applies coupon"],
  ],
  [
    "bun red",
    "bun test",
    1,
    "bun test v1.1.30 (7996d06b)\n\nsrc/router.test.ts:\n✓ matches static [0.31ms]\n" +
      "✗ matches params [1.02ms]\nerror: expect(received).toEqual(expected)\n" +
      "\n 1 pass\n 1 fail\n 2 expect() calls\nRan 2 tests across 1 files. [22.00ms]",
    "fail",
    "1/1",
    ["matches params"],
  ],
  [
    "bun with errors between tests",
    "bun test",
    1,
    "bun test v1.2.0\n\nsrc/a.test.ts:\n(fail) adds [1.00ms]\n\n# Unhandled error between tests\n\n" +
      " 1346 pass\n 114 fail\n 114 errors\n 3000 expect() calls\nRan 1460 tests across 80 files. [9.20s]",
    "fail",
    "1346/114",
    ["adds"],
  ],
  [
    "bun that only met an error",
    "bun test",
    1,
    "bun test v1.2.0\n\n# Unhandled error between tests\n\n" +
      " 3 pass\n 0 fail\n 1 error\nRan 3 tests across 2 files. [9.20s]",
    "fail",
    "3/0",
  ],
  [
    "bun green",
    "bun test",
    0,
    "bun test v1.1.30 (7996d06b)\n\n 31 pass\n 0 fail\n 77 expect() calls\nRan 31 tests across 6 files. [180.00ms]",
    "pass",
    "31/0",
  ],
  [
    "deno green",
    "deno test",
    0,
    "Check file:///repo/mod_test.ts\nrunning 2 tests from ./mod_test.ts\n" +
      "url test ... ok (2ms)\nfetch error handling ... ok (6ms)\n\n" +
      "ok | 2 passed | 0 failed (31ms)",
    "pass",
    "2/0",
  ],
  [
    "deno red",
    "deno test",
    1,
    "running 2 tests from ./mod_test.ts\nurl test ... FAILED (3ms)\n" +
      "join ... ok (0ms)\n\n ERRORS \n\nurl test => ./mod_test.ts:4:6\n" +
      "error: AssertionError: Values are not equal.\n\n FAILURES \n" +
      "\nurl test => ./mod_test.ts:4:6\n\nFAILED | 1 passed | 1 failed (12ms)\n" +
      "\nerror: Test failed",
    "fail",
    "1/1",
    ["url test"],
  ],
  [
    "pytest green",
    "pytest",
    0,
    "============================= test session starts ==============================\n" +
      "platform linux -- Python 3.11.4, pytest-7.4.0, pluggy-1.2.0\n" +
      "rootdir: /repo\ncollected 14 items\n\ntests/test_a.py .......                                               " +
      "   [ 50%]\ntests/test_b.py ..s....                                                  [100%]\n" +
      "\n======================== 13 passed, 1 skipped in 0.54s =========================",
    "pass",
    "13/0",
  ],
  [
    "pytest quiet red",
    "pytest -q tests/test_b.py",
    1,
    ".F.                                                                      [100%]\n" +
      "=================================== FAILURES ===================================\n" +
      "_________________________________ test_rounds __________________________________\n" +
      "\n    def test_rounds():\n>       assert f(2.5) == 3\nE       assert 2 == 3\n" +
      "E        +  where 2 = f(2.5)\n\ntests/test_b.py:9: AssertionError\n" +
      "=========================== short test summary info ============================\n" +
      "FAILED tests/test_b.py::test_rounds - assert 2 == 3\n1 failed, 2 passed in 0.03s",
    "fail",
    "2/1",
    ["tests/test_b.py::test_rounds"],
  ],
  [
    "pytest tail",
    "pytest -q 2>&1 | tail -2",
    undefined,
    "FAILED tests/test_io.py::TestIO::test_read[utf-8] - UnicodeDecodeError: 'utf-...\n" +
      "1 failed, 120 passed, 3 skipped, 2 xfailed, 7 warnings in 12.41s",
    "fail",
    "120/1",
    ["tests/test_io.py::TestIO::test_read[utf-8]"],
  ],
  [
    "usage error, exit 4, no tests ran",
    "python -m pytest tests/test_missing.py",
    4,
    "============================= test session starts ==============================\n" +
      "platform linux -- Python 3.9.18, pytest-8.1.1, pluggy-1.4.0\n" +
      "rootdir: /testbed\ncollected 0 items\n\n============================ no tests ran in 0.00s " +
      "=====================" +
      "========\nERROR: file or directory not found: tests/test_missing.py",
    "fail|unknown",
  ],
  [
    "all deselected, exit 5: nothing ran",
    "pytest -k nothing",
    5,
    "============================= test session starts ==============================\n" +
      "collected 214 items / 214 deselected / 0 selected\n\n=========================== 214 deselected in " +
      "0.31s =======" +
      "=====================",
    "unknown|fail",
  ],
  [
    "collection error",
    "pytest",
    2,
    "============================= test session starts ==============================\n" +
      "collected 3 items / 1 error\n\n==================================== ERRORS " +
      "====================================\n" +
      "____________________ ERROR collecting tests/test_models.py _____________________\n" +
      "ImportError while importing test module '/repo/tests/test_models.py'.\n" +
      "Hint: make sure your test modules/packages have valid Python names.\n" +
      "Traceback:\ntests/test_models.py:3: in <module>\n    from app.models import Userr\n" +
      "E   ImportError: cannot import name 'Userr' from 'app.models' (/repo/app/models.py)\n" +
      "=========================== short test summary info ============================\n" +
      "ERROR tests/test_models.py\n!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!\n" +
      "=============================== 1 error in 0.12s ===============================",
    "fail",
  ],
  [
    "names and warnings full of error/FAILED",
    "pytest tests/test_errors.py -v",
    0,
    "============================= test session starts ==============================\n" +
      "collected 3 items\n\ntests/test_errors.py::test_error_message PASSED                          [ 33%]\n" +
      "tests/test_errors.py::test_failed_login_raises_error PASSED              [ 66%]\n" +
      "tests/test_errors.py::test_no_ERROR_in_log PASSED                        [100%]\n" +
      "\n=============================== warnings summary ===============================\n" +
      "tests/test_errors.py::test_error_message\n  /repo/app/errors.py:12: DeprecationWarning: error codes " +
      "FAILED and " +
      'ERROR will be removed\n    warnings.warn("error codes FAILED and ERROR will be removed", DeprecationWarning)\n' +
      "\n-- Docs: https://docs.pytest.org/en/stable/how-to/capture-warnings.html\n" +
      "========================= 3 passed, 1 warning in 0.02s =========================",
    "pass",
    "3/0",
  ],
  [
    "cut before the end; nothing known",
    "pytest tests -x 2>&1 | head -12",
    undefined,
    "============================= test session starts ==============================\n" +
      "platform linux -- Python 3.11.4, pytest-7.4.0, pluggy-1.2.0\n" +
      "rootdir: /repo\nplugins: anyio-3.7.1\ncollected 212 items\n\n" +
      "tests/test_a.py .............................                            [ 13%]\n" +
      "tests/test_b.py ..........................                               [ 25%]",
    "unknown",
  ],
  [
    "cut, but a failure is visible",
    "pytest tests -x 2>&1 | head -9",
    undefined,
    "============================= test session starts ==============================\n" +
      "platform linux -- Python 3.11.4, pytest-7.4.0, pluggy-1.2.0\n" +
      "rootdir: /repo\ncollected 212 items\n\ntests/test_a.py .....F\n" +
      "\n=================================== FAILURES ===================================",
    "fail",
  ],
  [
    "fixture error, exit code hidden by || true",
    "pytest || true",
    0,
    "collected 2 items\n\ntests/test_a.py .E                                                       [100%]\n" +
      "\n==================================== ERRORS ====================================\n" +
      "_________________________ ERROR at setup of test_db ____________________________\n" +
      "E   sqlalchemy.exc.OperationalError: could not connect\n=========================== short test summary info " +
      "============================\nERROR tests/test_a.py::test_db - sqlalchemy.exc.OperationalError: could " +
      "not connec" +
      "t\n========================= 1 passed, 1 error in 0.40s ===========================",
    "fail",
    "1/",
    ["tests/test_a.py::test_db"],
  ],
  [
    "xdist green",
    "pytest -n 4",
    0,
    "============================= test session starts ==============================\n" +
      "4 workers [88 items]\n........................................................................ [ 81%]\n" +
      "................                                                         [100%]\n" +
      "============================= 88 passed in 9.12s ===============================",
    "pass",
    "88/0",
  ],
  [
    "coverage table with file names errors/failover",
    "pytest --cov=app",
    0,
    "collected 5 items\n\ntests/test_app.py .....                                                  [100%]\n" +
      "\n---------- coverage: platform linux, python 3.11.4-final-0 -----------\n" +
      "Name              Stmts   Miss  Cover\n-------------------------------------\n" +
      "app/__init__.py       2      0   100%\napp/errors.py        40     12    70%\n" +
      "app/failover.py      31      3    90%\n-------------------------------------\n" +
      "TOTAL                73     15    79%\n\n============================== 5 passed in 0.40s " +
      "======================" +
      "=========",
    "pass",
    "5/0",
  ],
  [
    "crash",
    "pytest tests/test_ext.py",
    139,
    "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f1 (most recent call first):\n" +
      '  File "/repo/tests/test_ext.py", line 8 in test_call\n\ntests/test_ext.py Segmentation fault (core dumped)',
    "fail",
  ],
  ["runner missing, exit 127: not a pass", "pytest", 127, "bash: pytest: command not found", "fail|unknown"],
  [
    "timed out, exit 124",
    "timeout 60 pytest tests/slow",
    124,
    "============================= test session starts ==============================\n" +
      "collected 8 items\n\ntests/slow/test_net.py ..",
    "fail|unknown",
  ],
  ["xfail/xpass not strict", "pytest -q", 0, "3 passed, 2 xpassed, 1 xfailed in 0.11s", "pass", "3/0"],
  [
    "; echo hides exit code, text has it",
    'pytest tests/test_q.py -q; echo "Exit code: $?"',
    0,
    "..F\n=========================== short test summary info ============================\n" +
      "FAILED tests/test_q.py::test_pop - IndexError: pop from empty list\n" +
      "1 failed, 2 passed in 0.02s\nExit code: 1",
    "fail",
    "2/1",
    ["tests/test_q.py::test_pop"],
  ],
  [
    "mini-swe-agent style",
    "cd /testbed && pytest -q tests/test_q.py",
    undefined,
    "<returncode>1</returncode>\n<output>\n..F                                                                   " +
      "   [100%]\nFAILED tests/test_q.py::test_pop - IndexError: pop from empty list\n" +
      "1 failed, 2 passed in 0.02s\n</output>",
    "fail",
    "2/1",
    ["tests/test_q.py::test_pop"],
  ],
  [
    "mini-swe-agent style",
    "cd /testbed && pytest -q tests/test_q.py",
    undefined,
    "<returncode>0</returncode>\n<output>\n...                                                                   " +
      "   [100%]\n3 passed in 0.02s\n</output>",
    "pass",
    "3/0",
  ],
  [
    "OpenHands style",
    "python -m pytest tests/unit",
    undefined,
    "collected 4 items\n\ntests/unit/test_k.py ....                                                [100%]\n" +
      "\n============================== 4 passed in 0.08s ===============================\n" +
      "[The command completed with exit code 0.]\n[Current working directory: /workspace/kit]\n" +
      "[Python interpreter: /usr/bin/python]\n[Command finished with exit code 0]",
    "pass",
    "4/0",
  ],
  [
    "conftest import error, OpenHands style",
    "python -m pytest tests/unit",
    undefined,
    "ImportError while loading conftest '/workspace/kit/tests/conftest.py'.\n" +
      "tests/conftest.py:4: in <module>\n    import kit\nE   ModuleNotFoundError: No module named 'kit'\n" +
      "[The command completed with exit code 4.]\n[Current working directory: /workspace/kit]\n" +
      "[Command finished with exit code 4]",
    "fail",
  ],
  [
    "unittest red",
    "python -m unittest",
    1,
    "..F\n======================================================================\n" +
      "FAIL: test_upper (tests.test_s.TestStr.test_upper)\n" +
      "------------------------------------------------------------" +
      '----------\nTraceback (most recent call last):\n  File "/repo/tests/test_s.py", line 6, in test_upper\n' +
      "    self.assertEqual('foo'.upper(), 'FO')\nAssertionError: 'FOO' != 'FO'\n" +
      "\n----------------------------------------------------------------------\n" +
      "Ran 3 tests in 0.001s\n\nFAILED (failures=1)",
    "fail",
    "2/1",
    ["test_upper"],
  ],
  [
    "unittest 3.12: none ran, exit 5",
    "python -m unittest",
    5,
    "----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nNO TESTS RAN",
    "unknown|fail",
  ],
  [
    "old unittest says OK for zero tests",
    "python -m unittest discover",
    0,
    "----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nOK",
    "unknown",
  ],
  [
    "unittest verbose, name with error",
    "python -m unittest -v",
    0,
    "test_error_path (tests.test_e.T) ... ok\ntest_fails_cleanly (tests.test_e.T) ... ok\n" +
      "test_win (tests.test_e.T) ... skipped 'windows only'\n\n" +
      "--------------------------------------------------------" +
      "--------------\nRan 3 tests in 0.002s\n\nOK (skipped=1)",
    "pass",
    "2/0",
  ],
  [
    "django runner, one error",
    "python tests/runtests.py utils_tests",
    1,
    "Testing against Django installed in '/repo/django' with up to 8 processes\n" +
      "Found 431 test(s).\nSystem check identified no issues (0 silenced).\n" +
      "......................E...\n======================================================================\n" +
      "ERROR: test_slug (utils_tests.test_text.TestText)\n" +
      "-------------------------------------------------------------" +
      "---------\nTypeError: unsupported operand\n\n" +
      "-------------------------------------------------------------------" +
      "---\nRan 431 tests in 2.018s\n\nFAILED (errors=1, skipped=4)\n" +
      "Destroying test database for alias 'default'...",
    "fail",
    "",
    ["test_slug"],
  ],
  [
    "tox, one env red",
    "tox",
    1,
    "py310: commands[0]> pytest\n========== 20 passed in 0.31s ==========\n" +
      "py310: OK ✔ in 2.1 seconds\npy311: commands[0]> pytest\n========== 1 failed, 19 passed in 0.40s ==========\n" +
      "py311: exit 1 (0.61 seconds) /repo> pytest pid=411\n  py310: OK (2.10=setup[1.40]+cmd[0.70] seconds)\n" +
      "  py311: FAIL code 1 (2.2=setup[1.6]+cmd[0.6] seconds)\n  evaluation failed :( (4.40 seconds)",
    "fail",
  ],
  [
    "tox green",
    "tox -e py311",
    0,
    "py311: commands[0]> pytest -q\n20 passed in 0.31s\n  py311: OK (2.10=setup[1.40]+cmd[0.70] seconds)\n" +
      "  congratulations :) (2.15 seconds)",
    "pass",
    "20/0",
  ],
  [
    "go green, one package without tests",
    "go test ./...",
    0,
    "ok  \tgithub.com/acme/kv\t0.012s\n?   \tgithub.com/acme/kv/cmd\t[no test files]\n" +
      "ok  \tgithub.com/acme/kv/store\t(cached)",
    "pass",
  ],
  [
    "go red in one package",
    "go test ./...",
    1,
    "--- FAIL: TestExpiry (0.01s)\n    --- FAIL: TestExpiry/zero_ttl (0.00s)\n" +
      "        store_test.go:41: got 1, want 0\nFAIL\nFAIL\tgithub.com/acme/kv/store\t0.015s\n" +
      "ok  \tgithub.com/acme/kv\t0.010s\nFAIL",
    "fail",
    "",
    ["TestExpiry", "TestExpiry/zero_ttl"],
  ],
  ["nothing to test", "go test ./cmd/...", 0, "?   \tgithub.com/acme/kv/cmd\t[no test files]", "unknown"],
  [
    "no tests to run",
    "go test ./store -run TestNope",
    0,
    "ok  \tgithub.com/acme/kv/store\t0.003s [no tests to run]",
    "unknown",
  ],
  [
    "go build failed",
    "go test ./store",
    1,
    "# github.com/acme/kv/store [github.com/acme/kv/store.test]\n" +
      "./store.go:17:9: undefined: ttl\nFAIL\tgithub.com/acme/kv/store [build failed]\n" +
      "FAIL",
    "fail",
  ],
  [
    "go verbose, names with Fail/Error",
    "go test -v ./errs",
    0,
    "=== RUN   TestFailFast\n--- PASS: TestFailFast (0.00s)\n=== RUN   TestErrorWrap\n" +
      "    errs_test.go:9: error: wrapped as expected\n--- PASS: TestErrorWrap (0.00s)\n" +
      "=== RUN   TestDB\n    errs_test.go:20: no database\n--- SKIP: TestDB (0.00s)\n" +
      "PASS\nok  \tgithub.com/acme/errs\t0.004s",
    "pass",
    "2/0",
  ],
  [
    "go panic",
    "go test ./store",
    2,
    "panic: runtime error: index out of range [3] with length 3\n" +
      "\ngoroutine 7 [running]:\ngithub.com/acme/kv/store.(*Ring).At(...)\n" +
      "\t/repo/store/ring.go:22\nFAIL\tgithub.com/acme/kv/store\t0.006s\n" +
      "FAIL",
    "fail",
  ],
  [
    "cargo green, doc-tests empty",
    "cargo test",
    0,
    "   Compiling kv v0.1.0 (/repo)\n    Finished `test` profile [unoptimized + debuginfo] target(s) in 1.21s\n" +
      "     Running unittests src/lib.rs (target/debug/deps/kv-0a1b)\n" +
      "\nrunning 3 tests\ntest tests::error_display ... ok\ntest tests::should_fail ... ok\n" +
      "test tests::slow ... ignored\n\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; " +
      "finished in 0.00s\n\n   Doc-tests kv\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 " +
      "measured; 0 filtered out; finished in 0.00s",
    "pass",
    "2/0",
  ],
  [
    "cargo red",
    "cargo test",
    101,
    "running 2 tests\ntest ring::tests::wraps ... FAILED\ntest ring::tests::len ... ok\n" +
      "\nfailures:\n\n---- ring::tests::wraps stdout ----\nthread 'ring::tests::wraps' panicked at " +
      "src/ring.rs:40:9:\n" +
      "assertion `left == right` failed\n  left: 3\n right: 0\nnote: run with `RUST_BACKTRACE=1` environment " +
      "variable " +
      "to display a backtrace\n\n\nfailures:\n    ring::tests::wraps\n" +
      "\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n" +
      "\nerror: test failed, to rerun pass `--lib`",
    "fail",
    "1/1",
    ["ring::tests::wraps"],
  ],
  [
    "does not compile",
    "cargo test",
    undefined,
    "   Compiling kv v0.1.0 (/repo)\nerror[E0308]: mismatched types\n" +
      "  --> src/lib.rs:12:5\n   |\n12 |     x\n   |     ^ expected `u32`, found `u64`\n" +
      "\nerror: could not compile `kv` (lib test) due to 1 previous error\n" +
      "[exit code: 101]",
    "fail",
  ],
  [
    "filter matched nothing",
    "cargo test nope",
    0,
    "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 41 filtered out; finished in 0.00s",
    "unknown",
  ],
  [
    "nextest red",
    "cargo nextest run",
    100,
    "    Starting 4 tests across 2 binaries\n        PASS [   0.004s] kv tests::a\n" +
      "        FAIL [   0.006s] kv ring::tests::wraps\n        PASS [   0.004s] kv tests::b\n" +
      "        PASS [   0.004s] kv::it works\n------------\n     Summary [   0.011s] 4 tests run: 3 passed, 1 " +
      "failed, " +
      "0 skipped\n        FAIL [   0.006s] kv ring::tests::wraps\nerror: test run failed",
    "fail",
    "3/1",
    ["ring::tests::wraps"],
  ],
  [
    "nextest, one flaky",
    "cargo nextest run",
    0,
    "    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.05s\n" +
      "    Starting 12 tests across 3 binaries (2 tests skipped)\n------------\n" +
      "     Summary [   0.210s] 12 tests run: 12 passed (1 flaky), 2 skipped",
    "pass",
    "12/0",
  ],
  [
    "surefire red",
    "mvn test",
    1,
    "[INFO] -------------------------------------------------------\n" +
      "[INFO]  T E S T S\n[INFO] -------------------------------------------------------\n" +
      "[INFO] Running com.acme.OrderTest\n[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0, Time " +
      "elapsed: 0.051" +
      " s <<< FAILURE! -- in com.acme.OrderTest\n[ERROR] com.acme.OrderTest.rejectsNegative -- Time elapsed: 0.004 " +
      "s <<< FAILURE!\norg.opentest4j.AssertionFailedError: Expected java.lang.IllegalArgumentException to be " +
      "thrown, " +
      "but nothing was thrown.\n[INFO] \n[INFO] Results:\n[INFO] \n" +
      "[ERROR] Failures: \n[ERROR]   OrderTest.rejectsNegative:31 Expected java.lang.IllegalArgumentException to be " +
      "thrown, but nothing was thrown.\n[INFO] \n[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0\n" +
      "[INFO] \n[INFO] BUILD FAILURE",
    "fail",
    "3/1",
    ["OrderTest.rejectsNegative"],
  ],
  ["quiet maven prints nothing when green; exit 0 trusted", "mvn -q test", 0, "", "pass|unknown"],
  [
    "log line ERROR in green run",
    "mvn test",
    0,
    "[INFO] Running com.acme.ErrorHandlerTest\n12:00:01.003 [main] ERROR com.acme.ErrorHandler - payment failed\n" +
      "[INFO] Tests run: 6, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.2 s -- in com.acme.ErrorHandlerTest\n" +
      "[INFO] \n[INFO] Results:\n[INFO] \n[WARNING] Tests run: 6, Failures: 0, Errors: 0, Skipped: 1\n" +
      "[INFO] \n[INFO] ------------------------------------------------------------------------\n" +
      "[INFO] BUILD SUCCESS\n[INFO] ------------------------------------------------------------------------",
    "pass",
    "5/0",
  ],
  [
    "compile error",
    "mvn test",
    1,
    "[INFO] Compiling 12 source files with javac\n[ERROR] COMPILATION ERROR : \n" +
      "[ERROR] /repo/src/main/java/com/acme/Order.java:[14,9] cannot find symbol\n" +
      "[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal " +
      "org.apache.maven.plugins:maven-compiler-plugin:3.11.0:compi" +
      "le (default-compile) on project order: Compilation failure",
    "fail",
  ],
  [
    "one module red",
    "mvn -pl a,b,c verify",
    1,
    "[INFO] Reactor Summary for acme 1.0:\n[INFO] \n[INFO] a .................................................. SUCCE" +
      "SS [  3.1 s]\n[INFO] b .................................................. FAILURE [  2.0 s]\n" +
      "[INFO] c .................................................. SKIPPED\n" +
      "[INFO] ------------------------------------------------------------------------\n" +
      "[INFO] BUILD FAILURE",
    "fail",
  ],
  [
    "grep of surefire: total last",
    "mvn test -pl web | grep 'Tests run'",
    0,
    "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in com.acme.ATest\n" +
      "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in com.acme.BTest\n" +
      "[INFO] Tests run: 8, Failures: 0, Errors: 0, Skipped: 0",
    "pass",
    "8/0",
  ],
  [
    "no tests matched, build failure",
    "mvn package -DskipTests=false -Dtest=Nope",
    1,
    "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.1.2:test (default-test) on proje" +
      'ct core: No tests matching pattern "Nope" were executed! (Set -Dsurefire.failIfNoSpecifiedTests=false ' +
      "to ignore " +
      "this error.)\n[INFO] BUILD FAILURE",
    "fail|unknown",
  ],
  [
    "gradle red",
    "./gradlew test",
    1,
    "> Task :compileJava\n> Task :test FAILED\n\nCartTest > appliesCoupon() FAILED\n" +
      "    org.opentest4j.AssertionFailedError at CartTest.java:22\n" +
      "\n12 tests completed, 1 failed, 2 skipped\n\nFAILURE: Build failed with an exception.\n" +
      "\n* What went wrong:\nExecution failed for task ':test'.\n> There were failing tests. See the report " +
      "at: file://" +
      "/repo/build/reports/tests/test/index.html\n\nBUILD FAILED in 6s\n" +
      "3 actionable tasks: 2 executed, 1 up-to-date",
    "fail",
    "/1",
    ["CartTest > appliesCoupon()"],
  ],
  [
    "gradle green",
    "./gradlew test",
    0,
    "> Task :compileJava UP-TO-DATE\n> Task :test\n\nBUILD SUCCESSFUL in 3s\n" +
      "4 actionable tasks: 1 executed, 3 up-to-date",
    "pass",
  ],
  [
    "test task had no source: nothing ran",
    "./gradlew test",
    0,
    "> Task :compileTestJava NO-SOURCE\n> Task :test NO-SOURCE\n\n" +
      "BUILD SUCCESSFUL in 1s\n1 actionable task: 1 executed",
    "unknown",
  ],
  [
    "rspec red",
    "bundle exec rspec",
    1,
    ".F*\n\nPending: (Failures listed here are expected and do not affect your suite's status)\n" +
      "\n  1) User sends mail\n     # Temporarily skipped with xit\n" +
      "     # ./spec/user_spec.rb:20\n\nFailures:\n\n  1) User validates email\n" +
      "     Failure/Error: expect(user).to be_valid\n       expected `#<User id: nil>.valid?` to be truthy, " +
      "got false\n" +
      "     # ./spec/user_spec.rb:9:in `block (2 levels) in <top (required)>'\n" +
      "\nFinished in 0.0112 seconds (files took 0.9 seconds to load)\n" +
      "3 examples, 1 failure, 1 pending\n\nFailed examples:\n\nrspec ./spec/user_spec.rb:7 # User validates email",
    "fail",
    "1/1",
    ["User validates email"],
  ],
  [
    "zero examples",
    "bundle exec rspec",
    0,
    "No examples found.\n\n\nFinished in 0.0003 seconds (files took 0.06 seconds to load)\n0 examples, 0 failures",
    "unknown",
  ],
  [
    "rspec, names with failures/error",
    "bundle exec rspec --format documentation",
    0,
    "Retry\n  gives up after 3 failures\n  logs the error\n\nFinished in 0.01 seconds (files took 0.4 seconds to " +
      "load)\n2 examples, 0 failures",
    "pass",
    "2/0",
  ],
  [
    "minitest red",
    "bin/rails test",
    1,
    "Run options: --seed 4411\n\n# Running:\n\n...F\n\nFailure:\n" +
      "PostsControllerTest#test_should_get_index [test/controllers/posts_controller_test.rb:8]:\n" +
      "Expected response to be a <2XX: success>, but was a <500: Internal Server Error>\n" +
      "\nFinished in 0.5s, 8.0 runs/s, 10.0 assertions/s.\n4 runs, 5 assertions, 1 failures, 0 errors, 0 skips",
    "fail",
    "3/1",
    ["PostsControllerTest#test_should_get_index"],
  ],
  [
    "load error outside examples",
    "bundle exec rspec",
    1,
    "An error occurred while loading ./spec/a_spec.rb.\nFailure/Error: require 'missing'\n" +
      "\nLoadError:\n  cannot load such file -- missing\n\nFinished in 0.00002 seconds (files took 0.1 " +
      "seconds to load)" +
      "\n0 examples, 0 failures, 1 error occurred outside of examples",
    "fail",
  ],
  [
    "phpunit red",
    "vendor/bin/phpunit",
    1,
    "PHPUnit 10.5.2 by Sebastian Bergmann and contributors.\n\nRuntime:       PHP 8.2.12\n" +
      "\n..F.                                                                4 / 4 (100%)\n" +
      "\nTime: 00:00.021, Memory: 8.00 MB\n\nThere was 1 failure:\n" +
      "\n1) App\\Tests\\InvoiceTest::testRefund\nFailed asserting that 10 matches expected 0.\n" +
      "\n/repo/tests/InvoiceTest.php:22\n\nFAILURES!\nTests: 4, Assertions: 6, Failures: 1.",
    "fail",
    "3/1",
    ["App\\Tests\\InvoiceTest::testRefund"],
  ],
  [
    "phpunit green",
    "vendor/bin/phpunit",
    0,
    "PHPUnit 10.5.2 by Sebastian Bergmann and contributors.\n\n..........                                        " +
      "                10 / 10 (100%)\n\nTime: 00:00.040, Memory: 10.00 MB\n" +
      "\nOK (10 tests, 14 assertions)",
    "pass",
    "10/0",
  ],
  [
    "nothing ran",
    "vendor/bin/phpunit --filter Nope",
    0,
    "PHPUnit 9.6.13 by Sebastian Bergmann and contributors.\n\nNo tests executed!",
    "unknown",
  ],
  [
    "pest/laravel red",
    "php artisan test",
    1,
    "   PASS  Tests\\Unit\\ExampleTest\n  ✓ that true is true\n\n" +
      "   FAIL  Tests\\Feature\\ExampleTest\n  ⨯ the application returns a successful response                " +
      "    0.12s" +
      "\n  ────────────────────────────────────────────────\n   FAILED  Tests\\Feature\\ExampleTest > the " +
      "application " +
      "returns a successful response\n  Expected response status code [200] but received 500.\n" +
      "\n  Tests:    1 failed, 1 passed (2 assertions)\n  Duration: 0.31s",
    "fail",
    "1/1",
  ],
  [
    "dotnet red",
    "dotnet test",
    1,
    "  Determining projects to restore...\n  All projects are up-to-date for restore.\n" +
      "  Core.Tests -> /repo/tests/bin/Debug/net8.0/Core.Tests.dll\n" +
      "Test run for /repo/tests/bin/Debug/net8.0/Core.Tests.dll (.NETCoreApp,Version=v8.0)\n" +
      "Starting test execution, please wait...\nA total of 1 test files matched the specified pattern.\n" +
      "[xUnit.net 00:00:00.41]     Core.Tests.ParserTests.Empty [FAIL]\n" +
      "  Failed Core.Tests.ParserTests.Empty [4 ms]\n  Error Message:\n" +
      "   Assert.Equal() Failure\n\nFailed!  - Failed:     1, Passed:    21, Skipped:     2, Total:    24, Duration: " +
      "88 ms - Core.Tests.dll (net8.0)",
    "fail",
    "21/1",
    ["Core.Tests.ParserTests.Empty"],
  ],
  [
    "dotnet green",
    "dotnet test --nologo",
    0,
    "Passed!  - Failed:     0, Passed:    24, Skipped:     0, Total:    24, Duration: 70 ms - Core.Tests.dll (net8.0)",
    "pass",
    "24/0",
  ],
  [
    "does not compile",
    "dotnet test",
    1,
    "/repo/src/Core/Parser.cs(10,5): error CS1002: ; expected [/repo/src/Core/Core.csproj]",
    "fail",
  ],
  [
    "ctest red",
    "ctest --output-on-failure",
    8,
    "Test project /repo/build\n    Start 1: json\n1/2 Test #1: json .............................   Passed    0.01 " +
      "sec\n    Start 2: utf8\n2/2 Test #2: utf8 .............................***Failed    0.02 sec\n" +
      "expected 3 got 4\n\n50% tests passed, 1 tests failed out of 2\n" +
      "\nTotal Test time (real) =   0.03 sec\n\nThe following tests FAILED:\n" +
      "\t  2 - utf8 (Failed)\nErrors while running CTest",
    "fail",
    "1/1",
    ["utf8"],
  ],
  [
    "ctest green, 'failed' in summary",
    "ctest",
    0,
    "Test project /repo/build\n1/1 Test #1: fail_handler .....................   Passed    0.01 sec\n" +
      "\n100% tests passed, 0 tests failed out of 1\n\nTotal Test time (real) =   0.01 sec",
    "pass",
    "1/0",
  ],
  ["none found", "ctest", 0, "Test project /repo/build\nNo tests were found!!!", "unknown"],
  [
    "automake red",
    "make check",
    2,
    "PASS: t-alloc\nFAIL: t-utf8\nXFAIL: t-known\n===================================================================" +
      "=========\nTestsuite summary for libfoo 1.2\n" +
      "===================================================================" +
      "=========\n# TOTAL: 3\n# PASS:  1\n# SKIP:  0\n# XFAIL: 1\n# FAIL:  1\n" +
      "# XPASS: 0\n# ERROR: 0\n============================================================================\n" +
      "See ./test-suite.log\n============================================================================\n" +
      "make[2]: *** [Makefile:500: test-suite.log] Error 1",
    "fail",
    "1/1",
    ["t-utf8"],
  ],
  [
    "automake green",
    "make check",
    0,
    "PASS: t-alloc\nPASS: t-error\n# TOTAL: 2\n# PASS:  2\n# SKIP:  0\n# XFAIL: 0\n# FAIL:  0\n# XPASS: 0\n# ERROR: 0",
    "pass",
    "2/0",
  ],
  [
    "no such target, exit 2: no evidence of green",
    "make test",
    2,
    "make: *** No rule to make target 'test'.  Stop.",
    "fail|unknown",
  ],
  [
    "exunit red",
    "mix test",
    2,
    "....\n\n  1) test list_users/0 returns all users (MyApp.AccountsTest)\n" +
      "     test/my_app/accounts_test.exs:12\n     Assertion with == failed\n" +
      "\nFinished in 0.1 seconds (0.05s async, 0.05s sync)\n5 tests, 1 failure\n" +
      "\nRandomized with seed 42",
    "fail",
    "4/1",
  ],
  [
    "xctest green",
    "swift test",
    0,
    "Test Suite 'All tests' passed at 2024-05-01 10:00:00.000.\n\t Executed 12 tests, with 0 failures (0 unexpected) " +
      "in 0.031 (0.034) seconds",
    "pass",
    "12/0",
  ],
  [
    "flutter red",
    "flutter test",
    1,
    "00:02 +3 -1: Cart removes item [E]\n  Expected: <0>\n    Actual: <1>\n00:02 +4 -1: Some tests failed.",
    "fail",
    "4/1",
  ],
  [
    "bazel red",
    "bazel test //...",
    3,
    "//auth:token_test                                  PASSED in 0.4s\n" +
      "//auth:session_test                                FAILED in 0.6s\n" +
      "  /home/u/.cache/bazel/testlogs/auth/session_test/test.log\n" +
      "\nExecuted 2 out of 2 tests: 1 test passes and 1 fails locally.",
    "fail",
    "1/1",
    ["//auth:session_test"],
  ],
  [
    "one package red",
    "pnpm -r test",
    1,
    "Scope: 3 of 4 workspace projects\npackages/a test$ vitest run\n" +
      "│  Test Files  2 passed (2)\n│       Tests  9 passed (9)\n└─ Done in 1.1s\n" +
      "packages/b test$ vitest run\n│  FAIL  src/b.test.ts > b > sums\n" +
      "│ AssertionError: expected 3 to be 4\n│  Test Files  1 failed (1)\n" +
      "│       Tests  1 failed | 4 passed (5)\n└─ Failed in 900ms at /repo/packages/b\n" +
      "/repo/packages/b:\n ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  b@1.0.0 test: `vitest run`\n" +
      "Exit status 1",
    "fail",
  ],
  [
    "turbo, one package red, tail",
    "npx turbo run test 2>&1 | tail -8",
    undefined,
    "web:test: Tests:       12 passed, 12 total\napi:test: Tests:       1 failed, 30 passed, 31 total\n" +
      "api:test: npm ERR! Lifecycle script `test` failed with error:\n" +
      "\n Tasks:    1 successful, 2 total\nCached:    0 cached, 2 total\n" +
      "  Time:    8.1s\nFailed:    api#test",
    "fail",
  ],
  [
    "turbo green",
    "npx turbo run test",
    0,
    "web:test: Tests:       12 passed, 12 total\napi:test: Tests:       31 passed, 31 total\n" +
      "\n Tasks:    2 successful, 2 total\nCached:    2 cached, 2 total\n" +
      "  Time:    102ms >>> FULL TURBO",
    "pass",
  ],
  [
    "nx one project red",
    "npx nx run-many -t test",
    1,
    "   ✔  nx run core:test (2s)\n   ✖  nx run web:test\n\n NX   Ran target test for 2 projects (5s)\n" +
      "\n   ✔  1/2 succeeded [0 read from cache]\n\n   ✖  1/2 targets failed, including the following:\n" +
      "     - nx run web:test",
    "fail",
  ],
  [
    "type errors",
    "npx tsc --noEmit",
    2,
    "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\n" +
      "src/b.ts(9,1): error TS2304: Cannot find name 'foo'.",
    "fail",
  ],
  ["tsc silent, exit 0", "npx tsc --noEmit", 0, "", "pass"],
  [
    "only a warning, exit 0",
    "npx eslint src",
    0,
    "/repo/src/a.js\n  3:7  warning  'x' is assigned a value but never used  no-unused-vars\n" +
      "\n✖ 1 problem (0 errors, 1 warning)",
    "pass",
  ],
  [
    "lint error",
    "npx eslint src",
    1,
    "/repo/src/a.js\n  3:7  error  'x' is not defined  no-undef\n\n✖ 1 problem (1 error, 0 warnings)",
    "fail",
  ],
  [
    "Claude Code style error text",
    "npm test",
    undefined,
    "Exit code 1\n\n> api@2.0.0 test\n> jest --silent\n\nTest Suites: 1 failed, 11 passed, 12 total\n" +
      "Tests:       1 failed, 88 passed, 89 total",
    "fail",
    "88/1",
  ],
  [
    "Codex style",
    "cargo test --quiet",
    undefined,
    "Exit code: 0\nWall time: 2.1 seconds\nOutput:\n\nrunning 18 tests\n" +
      "..................\ntest result: ok. 18 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in " +
      "0.03s",
    "pass",
    "18/0",
  ],
  [
    "no such script",
    "npm test",
    undefined,
    'Exit code: 1\nWall time: 0.4 seconds\nOutput:\n\nnpm ERR! Missing script: "test"\n' +
      "npm ERR! \nnpm ERR! To see a list of scripts, run:\nnpm ERR!   npm run",
    "fail|unknown",
  ],
  [
    "tail of a log file with the summary",
    "pytest tests/ -q > /tmp/out.txt 2>&1; tail -1 /tmp/out.txt",
    0,
    "214 passed, 3 warnings in 31.20s",
    "pass",
    "214/0",
  ],
  ["count of ticks says nothing about red tests", "npm test 2>&1 | grep -c '✓'", 0, "57", "unknown"],
  ["everything hidden", "npm test > /dev/null 2>&1; echo done", 0, "done", "unknown"],
  ["grep found no 'fail', exit of grep", "npx jest 2>&1 | grep -i fail", 1, "", "unknown|pass"],
  [
    "grep -v keeps the red ones",
    "go test ./... 2>&1 | grep -v '^ok'",
    0,
    "--- FAIL: TestRing (0.00s)\n    ring_test.go:9: bad\nFAIL\nFAIL\tgithub.com/acme/ring\t0.002s\nFAIL",
    "fail",
    "",
    ["TestRing"],
  ],
  [
    "head cut, summary intact",
    "yarn test",
    undefined,
    "... [truncated 18231 characters] ...\n  ✓ keeps order (2 ms)\n" +
      "  ✓ handles error (1 ms)\n\nTest Suites: 30 passed, 30 total\n" +
      "Tests:       3 skipped, 402 passed, 405 total\nSnapshots:   12 passed, 12 total\n" +
      "Time:        18.3 s\nDone in 19.02s.",
    "pass",
    "402/0",
  ],
  [
    "watch mode, timed out before any result",
    "npm test",
    undefined,
    "> app@1.0.0 test\n> jest --watchAll\n\n RUNS  src/a.test.js\n" +
      " RUNS  src/b.test.js\n\nCommand timed out after 2m 0.0s",
    "unknown|fail",
  ],
  [
    "home-made runner with exit code",
    "make test",
    undefined,
    "gcc -Wall -Werror -o t tests/t.c\n./t\nall tests passed (0 errors)\n[Command finished with exit code 0]",
    "pass",
  ],
  [
    "tests could not start, exit 1",
    "docker compose exec -T web pytest -q",
    1,
    'service "web" is not running',
    "fail|unknown",
  ],
];

// More of the kinds that were read wrongly among them, written down before they were tried.
const MORE: readonly Row[] = [
  ["make check", "make check", 0, "cc -o t t.c\n./t\n12 checks, 0 failures\n", "pass", "/0"],
  ["make test", "make test", 0, "./run\nAll 34 tests passed.\n", "pass"],
  ["./run_tests.sh", "./run_tests.sh", 1, "== suite ==\n0 errors\nERROR: database is not there\n", "fail"],
  ["./run_tests.sh | tail -3", "./run_tests.sh | tail -3", undefined, "0 warnings\n0 errors\n", "unknown"],
  ["./test.sh", "./test.sh", undefined, "retrying after 2 failures\n0 failures\n", "unknown"],
  ["pytest -q", "pytest -q", 0, "2 passed, 1 xpassed in 0.02s\n", "pass", "2/0"],
  ["pytest -q", "pytest -q", 1, "1 failed, 2 xfailed, 1 xpassed in 0.30s\n", "fail", "/1"],
  ["flutter test", "flutter test", 0, "00:03 +12: All tests passed!\n", "pass", "12/0"],
  [
    "flutter test test/a_test.dart",
    "flutter test test/a_test.dart",
    1,
    "00:01 +2 ~1 -2: Some tests failed.\n",
    "fail",
    "2/2",
  ],
  [
    "dart test",
    "dart test",
    1,
    "00:00 +5 -1: loading test/x_test.dart [E]\n00:01 +9 -1: Some tests failed.\n",
    "fail",
    "9/1",
  ],
  [
    "bin/rails test",
    "bin/rails test",
    1,
    "F\n\nFailure:\nUserTest#test_name [test/models/user_test.rb:4]:\n" +
      "Expected: 1\n  Actual: 2\n\nError:\nCartTest#test_sum:\nNoMethodError: x\n" +
      "\n5 runs, 6 assertions, 1 failures, 1 errors, 0 skips\n",
    "fail",
    "3/2",
  ],
  ["npx ava", "npx ava", 1, "  ✔ a\n  ✖ b › c Rejected promise\n\n  1 test failed\n", "fail", "1/1"],
  ["npm test", "npm test", 0, "> mini@1.0.0 test\n> node test.js\n\nok 12 assertions (0 failing tests)\n", "pass"],
  [
    "terraform test",
    "terraform test",
    0,
    'tests/a.tftest.hcl... in progress\n  run "x"... pass\ntests/a.tftest.hcl... pass\n' +
      "\nSuccess! 1 passed, 0 failed.\n",
    "pass",
    "1/0",
  ],
  [
    "opa test . -v",
    "opa test . -v",
    2,
    "policy_test.rego:\ndata.a.test_x: PASS (1ms)\n--------\nPASS: 1/2\nFAIL: 1/2\n",
    "fail",
  ],
];

it.each(
  [...OUTPUTS, ...MORE].map(([what, command, exitCode, output, verdict, counts, failing]) => ({
    what,
    command,
    exitCode,
    output,
    verdict,
    counts,
    failing,
  })),
)("$what: $command", ({ command, exitCode, output, verdict, counts, failing }) => {
  const meaning = interpret(
    { tool: "bash", input: { command } },
    { outcome: "ok", output, ...(exitCode !== undefined && { exitCode }) },
  );
  const { check } = (meaning.notes ?? {}) as {
    readonly check?: { readonly verdict: string; readonly failed?: number };
  };
  const found = meaning.tests ?? check;
  expect(verdict.split("|")).toContain(found?.verdict);
  const [passed = "", failed = ""] = (counts ?? "").split("/");
  if (passed !== "") expect(meaning.tests?.passed ?? 0).toBe(Number(passed));
  if (failed !== "") expect(found?.failed ?? 0).toBe(Number(failed));
  for (const name of failing ?? [])
    expect(meaning.tests?.failing?.some((listed) => listed.includes(name) || name.includes(listed))).toBe(true);
});
