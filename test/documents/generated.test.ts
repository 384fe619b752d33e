/** The tests of permissions are here, too, because the tables need the same recordings, which take seconds. */
import '../operator/suites/cli-reference.ts';
import '../stack/iam/privileges.ts';

import { describe, expect, test } from '@jest/globals';
import { compared, PARTS } from './generated.ts';
import { page } from './pages.ts';

const NAMES = Object.keys(PARTS);

describe('a generated part of docs/', () => {
  test.each(NAMES)('a generated part matches its sources; "npm run documents -- %s" updates it', async name => {
    const { before, after } = await compared(PARTS[name]!);
    expect(before).toBe(after);
  });

  test.each([
    ['options', /^- `rateMinutes` .*\n/m],
    ['cost', /^\| CloudWatch alarms .*\n/m],
    ['streams', /`assets`, `threats` or /],
    ['events', /"deleted_at":"2026[^"]*",?/],
    ['event-schema', /"threats", /],
    ['permissions', /`dynamodb:Scan` /],
  ])('a generated part that was edited is restored: %s', async (name, words) => {
    const { file, write } = PARTS[name]!;
    const text = page(`docs/${file}`);
    const damaged = text.replace(words, '');
    expect(damaged).not.toBe(text);
    expect((await write(damaged)) === text).toBe(true);
  });
});
