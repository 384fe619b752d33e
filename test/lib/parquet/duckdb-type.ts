const SCALARS: Readonly<Record<string, string>> = {
  string: 'VARCHAR',
  int: 'INTEGER',
  bigint: 'BIGINT',
  boolean: 'BOOLEAN',
};

/** The type of a column, which Hive writes, as DuckDB writes it. Throws for one that no column has yet. */
export function duckDbType(hive: string): string {
  const array = /^array<(.*)>$/.exec(hive);
  if (array) return `${duckDbType(array[1]!)}[]`;
  const struct = /^struct<(.*)>$/.exec(hive);
  if (struct) return `STRUCT(${membersOf(struct[1]!).map(([name, type]) => `"${name}" ${duckDbType(type)}`)})`;
  const scalar = SCALARS[hive];
  if (scalar === undefined) throw new Error(`There is no DuckDB type for ${hive}`);
  return scalar;
}

/** Name and type of each member of a struct: `uid:string,product:struct<name:string>`. */
export function membersOf(list: string): [name: string, type: string][] {
  const members: string[] = [''];
  let depth = 0;
  for (const deadLetter of list) {
    if (deadLetter === '<') depth++;
    if (deadLetter === '>') depth--;
    if (deadLetter === ',' && depth === 0) members.push('');
    else members[members.length - 1] += deadLetter;
  }
  return members.map(member => {
    const colon = member.indexOf(':');
    return [member.slice(0, colon), member.slice(colon + 1)];
  });
}
