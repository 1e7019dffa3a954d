import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { startTrial } from '#client/sdk.gen.ts';
import type { Campaign, Trial } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { useSettled } from '../../parts/forms/use-settled.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Check, Select, TextArea } from '../../parts/controls/controls.tsx';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { withTitles } from '../../parts/words/action-titles.ts';

const settledAfterMs = 300;
const previewKey = 'preview of a test';

export function TestDialog({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const { id, countries } = campaign;
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [country, setCountry] = useState(countries[0] ?? '');
  const [again, setAgain] = useState(false);
  const users = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  const test = { kind: 'test' as const, users, country, ...(again && { again }) };
  const wanted = useSettled(test, settledAfterMs);
  const seen = useQuery({
    queryKey: [previewKey, id, campaign.revision, wanted.written],
    queryFn: async ({ signal }) => {
      const body = { ...wanted.value, preview: true };
      return (await startTrial({ path: { id }, body, signal, throwOnError: true })).data;
    },
    enabled: wanted.value.users.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const send = useMutation({
    mutationFn: () => startTrial({ path: { id }, body: test, throwOnError: true }),
    onSuccess: () => {
      onClose();
      // The preview of the test is not loaded again.
      return queries.invalidateQueries({ predicate: ({ queryKey: [key] }) => key !== previewKey });
    },
  });
  const error = send.error ?? (users.length > 0 ? seen.error : null);
  const problems = useRefusedFields(error);
  return (
    <Dialog
      title={`Send a test of “${campaign.name}”`}
      lead="Through the real endpoints, to whomever you name. It is in no figures of the campaign."
      onClose={onClose}
      actions={
        <span className="ml-auto row">
          <Button onClick={onClose}>Not yet</Button>
          <Button
            kind="ink"
            disabled={send.isPending || users.length === 0 || wanted.isBehind || !seen.isSuccess}
            onClick={() => send.mutate()}
          >
            Send it
          </Button>
        </span>
      }
    >
      <FormProblemsContext value={problems}>
        <FormField pointer="/users" label="Users" hint="A line each, at most 50" required>
          {(control) => <TextArea {...control} mono value={text} onText={setText} data-autofocus />}
        </FormField>
        <FormField pointer="/country" label="Country" hint="Whose endpoints are called">
          {(control) => (
            <Select
              {...control}
              value={country}
              choices={countries.map((each) => ({ value: each, label: each }))}
              onChoose={setCountry}
            />
          )}
        </FormField>
        <Check checked={again} onCheck={setAgain}>
          Also reach users whom an earlier live test of this campaign has reached
        </Check>
      </FormProblemsContext>
      {error === null && seen.data && users.length > 0 && <WhatIsReal seen={seen.data} />}
      {error !== null && problemOf(error).errors.length === 0 && (
        <p className="c-bad sm" role="alert">
          {problemOf(error).detail}
        </p>
      )}
    </Dialog>
  );
}

function WhatIsReal({ seen }: { seen: Trial }) {
  return (
    <div className="grid gap-1.5" role="status">
      <p className={seen.isReal ? 'c-warn wrap-anywhere' : 'wrap-anywhere'}>{withTitles(seen.summary)}</p>
      {seen.warnings.map(({ detail }) => (
        <p key={detail} className="sm c-warn wrap-anywhere">
          {detail}
        </p>
      ))}
    </div>
  );
}
