import type { Fetch } from '../../../lambda/source/http.ts';

/** The real fetch, and a way to wait until so many answers have begun: a body that drips follows its head. */
export function watchedFetch(): { readonly fetch: Fetch; begun(count: number): Promise<void> } {
  let answers = 0;
  let waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  return {
    async fetch(url, init) {
      const response = await fetch(url, init);
      answers++;
      for (const each of waiting) if (each.count <= answers) each.resolve();
      waiting = waiting.filter(each => each.count > answers);
      return response;
    },
    begun: count => new Promise(resolve => (answers >= count ? resolve() : void waiting.push({ count, resolve }))),
  };
}
