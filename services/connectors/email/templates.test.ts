import { afterEach, describe, expect, it, vi } from 'vitest';
import { compileTemplates, TemplateError, type MailTemplates, type TemplateScope } from './templates.ts';

const hostile = '<script>alert("1")</script> & \'more\'';

function render(templates: Partial<MailTemplates>, scope: Partial<TemplateScope> = {}) {
  return compileTemplates({ subject: 'Hello', text: 'Hello', ...templates })({
    user: { id: 'u1', name: 'Ada' },
    params: {},
    ...scope,
  });
}

function mailOf(...given: Parameters<typeof render>) {
  const rendering = render(...given);
  if (!rendering.ok) throw new Error(rendering.message);
  return rendering.mail;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('templates of a mail', () => {
  it('have the columns of the user and the parameters of the campaign', () => {
    const { subject, text } = mailOf(
      {
        subject: '{{ user.name }}, {{ params.discount }} off',
        text: '{% for o in params.offers %}{{ o.name }} {% endfor %}',
      },
      { params: { discount: '5 %', offers: [{ name: 'Ride' }, { name: 'Meal' }] } },
    );
    expect([subject, text]).toEqual(['Ada, 5 % off', 'Ride Meal ']);
  });

  it('escape values in HTML, and nowhere else', () => {
    const { html, text, subject } = mailOf(
      { html: '<p title="{{ user.name }}">{{ user.name }}</p>', text: '{{ user.name }}', subject: '{{ user.name }}' },
      { user: { name: hostile } },
    );
    const escaped = '&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt; &amp; &#39;more&#39;';
    expect(html).toBe(`<p title="${escaped}">${escaped}</p>`);
    expect([text, subject]).toEqual([hostile, hostile]);
  });

  it.each(['\r\n', '\n', '\r', '\u0000', '\u0085', '\u2028'])('put %j in a subject on one line', (lineBreak) => {
    const { subject } = mailOf({ subject: 'x{{ user.name }}' }, { user: { name: `${lineBreak}Bcc: eve@evil.test` } });
    expect(subject).toBe('x Bcc: eve@evil.test');
  });

  it.each([
    ['a variable that does not exist', '{{ user.nickname }}', 'template-failed'],
    ['a method of a value', '{{ user.name.constructor.name }}', 'template-failed'],
    [
      'a loop without an end',
      '{% for i in (1..9000) %}{% for j in (1..9000) %}x{% endfor %}{% endfor %}',
      'template-failed',
    ],
    ['a range that fills the memory', '{% for i in (1..99999999999) %}x{% endfor %}', 'template-failed'],
    ['more text than a mail may have', '{{ params.long }}', 'mail-too-large'],
  ])('fail for %s', (_, text, code) => {
    expect(render({ text }, { params: { long: 'x'.repeat(1_000_001) } })).toMatchObject({ ok: false, code });
  });

  it('are rendered again if the process was suspended meanwhile', () => {
    const times = [1, 60_000];
    vi.spyOn(performance, 'now').mockImplementation(() => times.shift() ?? 1);
    expect(render({ text: 'Hello {{ user.name }}' }, { user: { name: 'Ada' } })).toMatchObject({ ok: true });
    expect(times).toEqual([]);
  });

  it('fail if the subject is empty', () => {
    expect(render({ subject: ' {{ user.name }}' }, { user: { name: '\r\n' } })).toMatchObject({
      code: 'empty-subject',
    });
  });

  it('allow a missing variable in a condition and before a default', () => {
    const { text } = mailOf({ text: '{% if user.nickname %}x{% endif %}{{ user.nickname | default: "friend" }}' });
    expect(text).toBe('friend');
  });

  it.each(["{% include '/etc/passwd' %}", "{% render 'x' %}", "{% layout 'x' %}", '{{ user.name | shout', '{% if %}'])(
    'are refused for %s',
    (html) => {
      expect(() => compileTemplates({ subject: 'Hello', html })).toThrow(TemplateError);
    },
  );
});
