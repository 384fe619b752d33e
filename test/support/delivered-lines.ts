import { deliveredObjects, readLines } from '../../local/aws/delivered.ts';

/** Every line below a folder of delivered objects. */
export async function deliveredLines(folder: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(await deliveredObjects(folder))) lines.push(line);
  return lines;
}
