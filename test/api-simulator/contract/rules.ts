import type { Rule } from './rule.ts';
import { AUTH_RULES } from './rules-auth.ts';
import { LIST_RULES } from './rules-lists.ts';
import { ROW_RULES } from './rules-rows.ts';
import { SINGLE_RULES } from './rules-single.ts';

/** Rules that reading alone cannot check; the API simulator's own tests hold them for the API simulator. */
const UNOBSERVABLE_RULES: readonly Rule[] = [
  ['A cursor does not expire', 'this takes too long to observe; a cursor that is minutes old is checked'],
  ['Nothing is silently dropped', 'what was dropped cannot be seen without another source of the truth'],
  ['An item that changes during paging can appear again on a later page', 'the suite changes nothing'],
  ['A resource can be re-delivered with updated_at unchanged', 'the suite cannot make the API re-project'],
  ['Ordering is by the time the processing of the item finished', 'that time is not visible but in the order'],
  ['Very recent changes are briefly withheld', 'the suite does not know when a change was made'],
  ['A page can be shorter than limit and still carry a non-null cursor', 'a permission: nothing to violate'],
  ['An empty page with null cursor is the normal steady state', 'a permission; the specification allows other ends'],
  ['asset removed: GET /v1/assets delivers the tombstone once more', 'the suite removes nothing'],
  ['asset restored: GET /v1/assets delivers the asset again as live data', 'the suite restores nothing'],
  ['A tombstone for an asset never seen can come', 'the suite cannot know what was created and removed in between'],
  ['The service account has been disabled: 401 auth/revoked-account', 'only the operator can disable it'],
  ['Token valid but lacks the role: 403 auth/insufficient-role', 'only the operator can take a role away'],
  ['Credentials are rotated by request', 'only the operator rotates them'],
  ['Every response is scoped to one organization', "another organization's data is not known to the suite"],
  ['DNS blocks are immutable event records', 'a later change would look like another record'],
  ['A cursor is only to be passed back to the endpoint that issued it', 'other use is outside the contract'],
  ['All are read operations', 'writing methods are not tried on a real tenant'],
  ['Rate limits exist for callers', 'values and error are not shown; the suite does not provoke them'],
].map(([words, unobservable], index) => ({
  id: `unobservable-${index + 1}`,
  words: words!,
  unobservable: unobservable!,
}));

/** Every rule of the specification that concerns what the API answers. */
export const RULES: readonly Rule[] = [
  ...LIST_RULES,
  ...ROW_RULES,
  ...SINGLE_RULES,
  ...AUTH_RULES,
  ...UNOBSERVABLE_RULES,
];
