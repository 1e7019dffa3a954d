import { describe, expect, it } from 'vitest';
import { previewedMessage, previewRefusal } from '../../shared/contracts/endpoints/message-previews.ts';
import { answerPreview } from './message-preview.ts';

const preview = (user: string, template: string) =>
  answerPreview(
    Buffer.from(JSON.stringify({ action: { type: 'send-message', params: { template } }, country: 'SG', user })),
  );

describe('the preview of a message in the sandbox', () => {
  it('has the title of the template, and the user in HTML without markup', () => {
    const { status, body } = preview('<b>u1', 'payday');
    const message = previewedMessage.parse(JSON.parse(body));
    expect([status, message.subject, message.text]).toEqual([200, 'Payday treat', expect.stringContaining('<b>u1')]);
    expect(message.html).toContain('&lt;b>u1');
  });

  it('is refused for an unknown template, and for another body', () => {
    const { status, body } = preview('u1', 'nothing');
    expect([status, previewRefusal.parse(JSON.parse(body)).code]).toEqual([422, 'no-such-template']);
    expect(answerPreview(Buffer.from('{')).status).toBe(400);
  });
});
