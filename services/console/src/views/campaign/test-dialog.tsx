import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { startTrial } from '#client/sdk.gen.ts';
import type { Campaign, ListedAudience, Trial } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { useDebounced } from '../../parts/forms/use-debounced.ts';
import { Button } from '../../parts/controls/button.tsx';
import { formatListSize } from '../../parts/audience/list-texts.ts';
import { useTesterLists } from '../../parts/audience/use-sources.ts';
import { Check, Select, TextArea } from '../../parts/controls/controls.tsx';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useFormErrors } from '../../parts/forms/use-form-errors.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { withTitles } from '../../parts/words/action-titles.ts';

const settledAfterMs = 300;
const previewKey = 'preview of a test';

export function TestDialog({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const { id, countries } = campaign;
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [country, setCountry] = useState(countries[0] ?? '');
  const [testers, setTesters] = useState('');
  const [again, setAgain] = useState(false);
  const lists = useTesterLists();
  const users = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  const called = testers === '' ? { users, country } : { testers };
  const isSomebody = testers !== '' || users.length > 0;
  const test = { kind: 'test' as const, ...called, ...(again && { again }) };
  const settled = useDebounced(test, settledAfterMs);
  const preview = useQuery({
    queryKey: [previewKey, id, campaign.revision, settled.written],
    queryFn: async ({ signal }) => {
      const body = { ...settled.value, preview: true };
      return (await startTrial({ path: { id }, body, signal, throwOnError: true })).data;
    },
    enabled: isSomebody && !settled.isBehind,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const send = useMutation({
    mutationFn: () => startTrial({ path: { id }, body: test, throwOnError: true }),
    onSuccess: () => {
      onClose();
      // The preview of the test is excluded: the dialog that shows it has closed.
      return queries.invalidateQueries({ predicate: ({ queryKey: [key] }) => key !== previewKey });
    },
  });
  const error = send.error ?? (isSomebody ? preview.error : null);
  const problems = useFormErrors(error);
  return (
    <Dialog
      title={`Send a test of “${campaign.name}”`}
      lead="Calls the real endpoints for these users. The figures of the campaign do not include tests."
      onClose={onClose}
      actions={
        <span className="ml-auto row">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="ink"
            disabled={send.isPending || !isSomebody || settled.isBehind || !preview.isSuccess}
            onClick={() => send.mutate()}
          >
            Send it
          </Button>
        </span>
      }
    >
      <FormProblemsContext value={problems}>
        {lists.length > 0 && <TestersField lists={lists} testers={testers} onChoose={setTesters} />}
        {testers === '' && (
          <>
            <FormField pointer="/users" label="Users" hint="One per line, at most 200" required>
              {(control) => <TextArea {...control} mono value={text} onText={setText} data-autofocus />}
            </FormField>
            <FormField pointer="/country" label="Country" hint="Endpoints of this country are called">
              {(control) => (
                <Select
                  {...control}
                  value={country}
                  choices={countries.map((each) => ({ value: each, label: each }))}
                  onChoose={setCountry}
                />
              )}
            </FormField>
          </>
        )}
        <Check checked={again} onCheck={setAgain}>
          Also reach users who were reached by an earlier live test of this campaign
        </Check>
      </FormProblemsContext>
      {error === null && preview.data && isSomebody && <TestPreview preview={preview.data} />}
      {error !== null && problemOf(error).errors.length === 0 && (
        <p className="c-bad sm" role="alert">
          {problemOf(error).detail}
        </p>
      )}
    </Dialog>
  );
}

interface TestersFieldProps {
  lists: readonly ListedAudience[];
  /** Id of the chosen list; empty for users that are typed. */
  testers: string;
  onChoose: (id: string) => void;
}

function TestersField({ lists, testers, onChoose }: TestersFieldProps) {
  const choices = lists.map(({ id, name, size, countries }) => ({
    value: id,
    label: `${name} (${size === null ? '' : `${formatListSize(size)} users in `}${(countries ?? []).join(', ')})`,
  }));
  return (
    <FormField
      pointer="/testers"
      label="Send to"
      hint="A list calls each user in the country that the list has for the user"
    >
      {(control) => (
        <Select
          {...control}
          value={testers}
          choices={[{ value: '', label: 'Users that I type' }, ...choices]}
          onChoose={onChoose}
        />
      )}
    </FormField>
  );
}

function TestPreview({ preview }: { preview: Trial }) {
  return (
    <div className="grid gap-1.5" role="status">
      <p className={preview.isReal ? 'c-warn wrap-anywhere' : 'wrap-anywhere'}>{withTitles(preview.summary)}</p>
      {preview.warnings.map(({ detail }) => (
        <p key={detail} className="sm c-warn wrap-anywhere">
          {detail}
        </p>
      ))}
    </div>
  );
}
