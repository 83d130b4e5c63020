import type { Migration } from "../migrate.ts";

/**
 * A decided claim had one text for its reason, with the code in front if it was rejected; now code and text are two
 * fields. The way an old claim was accepted was not kept. Messages that wait have the new names, too.
 *
 * Values stay the JSON texts they are. PostgreSQL refuses to read a zero character or half of a pair, so escapes are
 * hidden behind one that `JSON.stringify` never writes.
 */
export const codeAndText: Migration = {
  version: 3,
  name: "code-and-text",
  sql: (schema) => `
create function ${schema}.with_code_and_text(p_body text) returns text language sql immutable as $$
  with member as (
    select key, value::text as value, ordinality as place
    from json_each(replace(p_body, '\\u', '\\/~u~')::json) with ordinality),
  old as (
    select
      (select value from member where key = 'outcome') as outcome,
      coalesce((select value from member where key = 'rejection_reason'), '""') as reason),
  kept as (
    select case key when 'fix_instructions' then 'fix' else key end as key, value, place from member
      where key <> 'rejection_reason'
    union all
    select 'code', case outcome
      when '"rejected"' then regexp_replace(reason, '^"([a-z_]*): .*$', '"\\1"')
      when '"advanced"' then '"unknown"'
      else case
        when reason like '"Another claim advanced the item: %' then '"superseded"'
        when reason like '% has completed its last phase."' then '"item_completed"'
        when reason like '"The claim belongs to an earlier entry of phase %' then '"stale_entry"'
        else '"stale_phase"' end
      end, 1000 from old
    union all
    select 'text', case outcome when '"rejected"' then regexp_replace(reason, '^"[a-z_]*: ', '"') else reason end, 1001
      from old)
  select replace(
    '{' || string_agg(to_json(key)::text || ':' || value, ',' order by place) || '}', '\\/~u~', '\\u') from kept
$$;
update ${schema}.finding set body = ${schema}.with_code_and_text(body) where kind = 'claim' and not is_open;
drop function ${schema}.with_code_and_text(text);
update ${schema}.outbox set body = regexp_replace(body, '"reason":("[a-z_]*","text":)', '"code":\\1')
  where state = 'waiting' and body like '%,"name":"phase_reject","payload":{%';
update ${schema}.outbox set body = regexp_replace(body, '"by":("(?:structural|judge|trust)"\\})', '"code":\\1')
  where state = 'waiting' and body like '%,"name":"phase_advance","payload":{%';
`,
};
