import * as v from 'valibot';

const attribute = v.pipe(
  v.string('must be the name of an attribute, such as device.hostname'),
  v.minLength(1, 'must not be empty'),
);

/** Shape of the option `ocsfFields`. What its attributes are is checked elsewhere. */
export const ocsfFieldsSchema = v.record(
  v.string(),
  v.union(
    [attribute, v.record(v.string(), attribute)],
    'must be the name of an attribute, such as device.hostname, or an object of such below the name of a stream',
  ),
);
