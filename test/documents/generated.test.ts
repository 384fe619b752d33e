/**
 * The tests of permissions are here, too, because the tables need the same recordings, which take
 * seconds.
 */
import '../operator/suites/cli-reference.ts';
import '../stack/iam/privileges.ts';

import { expect, test } from '@jest/globals';
import { PARTS } from './generated.ts';
import { page } from './pages.ts';

/** Words of each generated part, which the test takes out. The schema is compared as a whole. */
const WORDS: Readonly<Record<string, RegExp>> = {
  schema: /^$/,
  options: /^- `rateMinutes` .*\n/m,
  cost: /^\| CloudWatch alarms .*\n/m,
  streams: /`assets`, `threats` or /,
  events: /"deleted_at":"2026[^"]*",?/,
  'event-schema': /"threats", /,
  permissions: /`dynamodb:Scan` /,
};

test.each(Object.keys(PARTS))(
  'the generated part %s of docs/ is up to date with its sources (otherwise "npm run documents")',
  async name => {
    const { file, write } = PARTS[name]!;
    const text = page(`docs/${file}`);
    const damaged = text.replace(WORDS[name]!, '');
    expect(damaged === text).toBe(name === 'schema');
    expect((await write(damaged)) === text).toBe(true);
  },
);
