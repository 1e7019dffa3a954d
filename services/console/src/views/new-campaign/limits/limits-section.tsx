import { FormField } from '../../../parts/forms/form-field.tsx';
import { Select, TextInput } from '../../../parts/controls/controls.tsx';
import { priorities } from '../../../parts/campaign/form.ts';
import { FormSection } from '../editor/form-section.tsx';
import { SpanField } from '../../../parts/when/span-field.tsx';
import type { Editor } from '../editor/use-editor.ts';

/** Section for the limits of a run, which protect other campaigns. */
export function LimitsSection({ editor: { form, change } }: { editor: Editor }) {
  return (
    <FormSection section="limits" number={4} note="what protects the others">
      <div className="grid grid-cols-[repeat(auto-fit,minmax(138px,1fr))] gap-3.5 items-start">
        <FormField
          pointer="/paceUsersPerSecond"
          label="Pace, at most"
          hint="Of all countries together: it slows how users are fed, not single calls"
        >
          {(control) => (
            <TextInput
              {...control}
              inputMode="numeric"
              unit="users/s"
              placeholder="no limit"
              value={form.pace}
              onText={(pace) => change({ pace })}
            />
          )}
        </FormField>
        <SpanField
          pointer="/deadlineSeconds"
          label="Deadline after start"
          hint="What was not called by then expires"
          value={form.deadline}
          units={['min', 'h', 'd']}
          onChange={(deadline) => change({ deadline })}
        />
        <FormField pointer="/pauseAtFailedPercent" label="Pause by itself at" hint="Of the users of a step">
          {(control) => (
            <TextInput
              {...control}
              inputMode="decimal"
              unit="% failed"
              placeholder="never"
              value={form.pauseAtFailedPercent}
              onText={(pauseAtFailedPercent) => change({ pauseAtFailedPercent })}
            />
          )}
        </FormField>
        {form.pauseAtFailedPercent !== '' && (
          <FormField pointer="/pauseAtFailedMinUsers" label="Not before" hint="Fewer tell nothing of a share">
            {(control) => (
              <TextInput
                {...control}
                inputMode="numeric"
                unit="users"
                placeholder="1,000"
                value={form.pauseAtFailedMinUsers}
                onText={(pauseAtFailedMinUsers) => change({ pauseAtFailedMinUsers })}
              />
            )}
          </FormField>
        )}
        <FormField pointer="/canary" label="Canary, first" hint="1000, or 5 %; then the run waits for you">
          {(control) => (
            <TextInput {...control} placeholder="none" value={form.canary} onText={(canary) => change({ canary })} />
          )}
        </FormField>
        {form.canary !== '' && (
          <FormField
            pointer="/canary/maxFailedPercent"
            label="Goes on by itself up to"
            hint="Of them; never where this is empty"
          >
            {(control) => (
              <TextInput
                {...control}
                inputMode="decimal"
                unit="% failed"
                placeholder="never"
                value={form.canaryMaxFailedPercent}
                onText={(canaryMaxFailedPercent) => change({ canaryMaxFailedPercent })}
              />
            )}
          </FormField>
        )}
        <FormField pointer="/priority" label="Priority" hint="Against other runs in the same shards">
          {(control) => (
            <Select
              {...control}
              value={form.priority}
              choices={priorities.map((value) => ({ value, label: value }))}
              onChoose={(priority) => change({ priority })}
            />
          )}
        </FormField>
      </div>
    </FormSection>
  );
}
