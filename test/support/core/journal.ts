/** Records each call of a port, and lets a test delay it or make it fail. */
export class Journal {
  /** In the order in which the calls took effect, failed ones left out. */
  readonly done: string[] = [];
  /** In the order in which the calls were made. */
  readonly begun: string[] = [];
  /** Called before a step takes effect: throws to make it fail, or returns a promise to hold it. */
  hook: (step: string) => void | Promise<void> = () => undefined;
  #awaited: { readonly step: string; readonly resolve: () => void }[] = [];

  async step<T>(name: string, effect: () => T): Promise<T> {
    this.begun.push(name);
    await this.hook(name);
    const result = effect();
    this.done.push(name);
    for (const { step, resolve } of this.#awaited) if (step === name) resolve();
    return result;
  }

  /** Lets a step fail from now on. */
  fail(step: string, error: Error = new Error(`fault at ${step}`)): void {
    this.hook = name => {
      if (name === step) throw error;
    };
  }

  /** Resolves once the step has taken effect and whatever follows from it at once has happened. */
  async after(step: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaited.push({ step, resolve });
    await promise;
    await new Promise(setImmediate);
  }

  clear(): void {
    this.done.length = 0;
    this.begun.length = 0;
    this.hook = () => undefined;
    this.#awaited = [];
  }
}
