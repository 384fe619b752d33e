/** Requests to the server of this page. */
const TOKEN = document.querySelector('meta[name=demo-token]').content;

export async function read(path, parameters = {}) {
  const response = await answerOf(`${path}?${new URLSearchParams(parameters)}`);
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** Every change has the token of this start, which a page of another origin cannot read. */
export async function act(path, body = {}) {
  const response = await answerOf(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-demo-token': TOKEN },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

async function answerOf(path, init) {
  try {
    return await fetch(path, init);
  } catch {
    throw new Error('The demo does not answer. Is its terminal still open?');
  }
}
