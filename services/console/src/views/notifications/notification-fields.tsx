import { Segments, TextInput } from '../../parts/controls/controls.tsx';
import { FieldGroup, FormField } from '../../parts/forms/form-field.tsx';
import { zoneNames } from '../../parts/times/zoned-times.ts';
import { CampaignChoice } from '../../parts/campaign/campaign-choice.tsx';
import { events, eventWords, kindWords, type NotificationForm } from './notification-words.ts';

interface FieldsProps {
  form: NotificationForm;
  isNew: boolean;
  onChange: (part: Partial<NotificationForm>) => void;
}

export function NotificationFields({ form, isNew, onChange }: FieldsProps) {
  const toggled = (event: (typeof events)[number]) => {
    const chosen = new Set(form.events);
    if (!chosen.delete(event)) chosen.add(event);
    return chosen;
  };
  return (
    <>
      <FormField pointer="/name" label="Name" hint="Name for people, such as Slack, growth">
        {(control) => <TextInput {...control} value={form.name} onText={(name) => onChange({ name })} data-autofocus />}
      </FormField>
      {isNew && (
        <FieldGroup pointer="/kind" label="Kind">
          <Segments
            label="Kind of notification"
            value={form.kind}
            choices={kindChoices}
            onChoose={(kind) => onChange({ kind })}
          />
        </FieldGroup>
      )}
      <FormField
        pointer="/url"
        label={kindWords[form.kind].field}
        required={isNew}
        hint={isNew ? kindWords[form.kind].hint : 'Empty: unchanged'}
      >
        {(control) => <TextInput {...control} mono value={form.url} onText={(url) => onChange({ url })} />}
      </FormField>
      <FieldGroup pointer="/events" label="Notify when a campaign or its run is">
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          {events.map((event) => (
            <label key={event} className="row">
              <input
                type="checkbox"
                checked={form.events.has(event)}
                onChange={() => onChange({ events: toggled(event) })}
              />
              {eventWords[event]}
            </label>
          ))}
        </div>
      </FieldGroup>
      <DigestFields form={form} onChange={onChange} />
      <FormField pointer="/tags" label="Tags" hint="Only campaigns with one of these, such as payday, vip; empty: all">
        {(control) => <TextInput {...control} value={form.tags} onText={(tags) => onChange({ tags })} />}
      </FormField>
      <FormField pointer="/owners" label="Owners" hint="Only campaigns, and keys, of one of these owners; empty: all">
        {(control) => <TextInput {...control} value={form.owners} onText={(owners) => onChange({ owners })} />}
      </FormField>
      <FieldGroup pointer="/campaigns" label="Campaigns">
        <CampaignChoice
          chosen={form.campaigns}
          search={form.campaignSearch}
          none={{ text: 'All campaigns', verb: 'Only some…' }}
          onChange={onChange}
        />
      </FieldGroup>
    </>
  );
}

const kindChoices = (['slack', 'teams', 'email', 'webhook'] as const).map((value) => ({
  value,
  label: kindWords[value].label,
}));

const digests = [
  { value: 'each', label: 'One message each' },
  { value: 'day', label: 'Once a day' },
  { value: 'week', label: 'On Mondays' },
] as const;

/** Field for digests of recurring campaigns. Events that need a person are always sent at once. */
function DigestFields({ form, onChange }: Pick<FieldsProps, 'form' | 'onChange'>) {
  return (
    <FieldGroup pointer="/digest" label="Completed runs of recurring campaigns">
      <Segments
        label="When completed runs are reported"
        value={form.digest}
        choices={digests}
        onChoose={(digest) => onChange({ digest })}
      />
      {form.digest !== 'each' && (
        <>
          <div className="grid grid-cols-[110px_minmax(0,1fr)] gap-3 items-start mt-2 phone:grid-cols-1">
            <FormField pointer="/digest/at" label="At" required>
              {(control) => <TextInput {...control} value={form.at} onText={(at) => onChange({ at })} maxLength={5} />}
            </FormField>
            <FormField pointer="/digest/zone" label="Time zone" required>
              {(control) => (
                <TextInput
                  {...control}
                  list="zones-of-digests"
                  value={form.zone}
                  onText={(zone) => onChange({ zone })}
                />
              )}
            </FormField>
            <datalist id="zones-of-digests">
              {zoneNames().map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </div>
          <p className="hint">
            Sent together in one message, without their starts. Events that need a person are sent immediately.
          </p>
        </>
      )}
    </FieldGroup>
  );
}
