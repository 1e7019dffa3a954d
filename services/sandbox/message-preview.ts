import { previewCall, type PreviewedMessage } from '../../shared/contracts/endpoints/message-previews.ts';
import { titleOfTemplate } from './option-lists.ts';
import type { HttpAnswer } from './wire/http-answer.ts';

export const previewPath = '/messages/v1/preview';

/** Answers the reference preview of a message (docs/optional-contracts.md). */
export function answerPreview(body: Buffer): HttpAnswer {
  const parsed = previewCall.safeParse(parseJson(body));
  if (!parsed.success) return refuse(400, 'bad-body', 'has to name action, country and user');
  const { action, country, user } = parsed.data;
  const { template } = action.params;
  const title = typeof template === 'string' ? titleOfTemplate(template) : undefined;
  if (title === undefined) return refuse(422, 'no-such-template', `there is no template ${JSON.stringify(template)}`);
  const message: PreviewedMessage = {
    from: 'Rides <hello@rides.example>',
    to: `${user}@users.example`,
    subject: title,
    html: htmlOf(title, user, country),
    text: `${title}\n\nHello ${user}, this message is for ${country}.\n`,
  };
  return { status: 200, body: JSON.stringify(message) };
}

function htmlOf(title: string, user: string, country: string): string {
  const card = 'margin: 24px auto; max-width: 440px; padding: 24px; border-radius: 12px; background: #fff';
  return `<body style="margin: 0; padding: 1px; background: #eef2f0; font-family: Arial, sans-serif">
<div style="${card}">
<h1 style="margin: 0 0 12px; color: #00713d; font-size: 22px">${escaped(title)}</h1>
<p>Hello <b>${escaped(user)}</b>, this message is for ${escaped(country)}.</p>
<p><a href="#" style="display: inline-block; padding: 10px 16px; border-radius: 8px; background: #00713d; color: #fff">Open the app</a></p>
</div></body>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function refuse(status: number, code: string, message: string): HttpAnswer {
  return { status, body: JSON.stringify({ code, message }) };
}

/** Undefined, which fits no shape, if the body is not JSON. */
function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
