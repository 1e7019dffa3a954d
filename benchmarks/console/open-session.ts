/** Logs in as the console's page does. @returns the cookie, as a request sends it: `name=secret` */
export async function openSession(url: string, apiKey: string): Promise<string> {
  const answer = await fetch(`${url}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ apiKey }),
  });
  const [cookie] = answer.headers.getSetCookie();
  if (!answer.ok || cookie === undefined) throw new Error(`no session: ${answer.status} ${await answer.text()}`);
  return cookie.split(';', 1).join('');
}
