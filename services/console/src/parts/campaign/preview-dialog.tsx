import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { previewMessage } from '#client/sdk.gen.ts';
import type { Campaign, MessagePreview } from '#client/types.gen.ts';
import { Button } from '../controls/button.tsx';
import { Select, TextInput } from '../controls/controls.tsx';
import { FormError } from '../forms/form-error.tsx';
import { FormField, FormProblemsContext } from '../forms/form-field.tsx';
import { useFormErrors } from '../forms/use-form-errors.ts';
import { Dialog } from '../overlays/dialog.tsx';
import { plainText } from '../words/plain-text.ts';
import { quotedTitleOf } from '../words/action-titles.ts';
import { MessageFrame } from './message-frame.tsx';
import { TesterPicker } from './tester-picker.tsx';

export interface PreviewedStep extends Pick<Campaign['chain'][number], 'action' | 'params'> {
  countries: readonly string[];
}

/** Shows the message that a step would send to one user. Nothing is sent. */
export function PreviewDialog({ action, params, countries, onClose }: PreviewedStep & { onClose: () => void }) {
  const [user, setUser] = useState('');
  const [country, setCountry] = useState(countries[0] ?? '');
  const preview = useMutation({
    mutationFn: async () => {
      const body = { user: user.trim(), country, params };
      return (await previewMessage({ path: { name: action }, body, throwOnError: true })).data;
    },
  });
  const problems = useFormErrors(preview.error);
  return (
    <Dialog
      title={`Preview of ${quotedTitleOf(action)}`}
      lead="Shows the message of one user. Nothing is sent."
      isWide
      onClose={onClose}
      actions={
        <span className="ml-auto row">
          <Button onClick={onClose}>Close</Button>
          <Button
            kind="ink"
            disabled={preview.isPending || user.trim() === '' || country === ''}
            onClick={() => preview.mutate()}
          >
            Preview
          </Button>
        </span>
      }
    >
      <FormProblemsContext value={problems}>
        <TesterPicker
          countries={countries}
          onPick={(picked) => {
            setUser(picked.user);
            setCountry(picked.country);
          }}
        />
        <div className="grid grid-cols-[minmax(0,1fr)_140px] gap-3.5 phone:grid-cols-1">
          <FormField pointer="/user" label="User" hint="Any user id, as your endpoint knows it" required>
            {(control) => <TextInput {...control} mono value={user} onText={setUser} data-autofocus />}
          </FormField>
          <FormField pointer="/country" label="Country">
            {(control) => (
              <Select
                {...control}
                value={country}
                placeholder="Choose a country first"
                choices={countries.map((each) => ({ value: each, label: each }))}
                onChoose={setCountry}
              />
            )}
          </FormField>
        </div>
        <FormError error={preview.error} />
      </FormProblemsContext>
      {preview.data && <Answer preview={preview.data} />}
    </Dialog>
  );
}

function Answer({ preview: { outcome, message, cause } }: { preview: MessagePreview }) {
  if (message === null) {
    return (
      <p className={outcome === 'refused' ? 'c-warn wrap-anywhere' : 'c-bad wrap-anywhere'} role="alert">
        {outcome === 'refused' ? 'This user would get no message: ' : 'The preview could not be loaded: '}
        {plainText(cause ?? '')}
      </p>
    );
  }
  const { from, to, subject, html, text } = message;
  const lines = [
    ['From', from],
    ['To', to],
    ['Subject', subject],
  ] as const;
  return (
    <section className="grid gap-3 min-w-0" aria-label="Message">
      <dl className="kv [&_dd]:wrap-anywhere">
        {lines.map(([name, value]) =>
          value === null ? null : (
            <div key={name} className="contents">
              <dt>{name}</dt>
              <dd className={name === 'Subject' ? 'font-medium' : ''}>{plainText(value)}</dd>
            </div>
          ),
        )}
      </dl>
      {html !== null && (
        <div>
          <MessageFrame html={html} />
          <p className="hint">Images from other servers are not loaded.</p>
        </div>
      )}
      {text !== null && (
        <details open={html === null}>
          <summary className="t2 sm">Plain text</summary>
          <pre className="bytes whitespace-pre-wrap max-h-60 mt-1.5" tabIndex={0} aria-label="Plain text">
            {plainText(text)}
          </pre>
        </details>
      )}
    </section>
  );
}
