/**
 * Changes a work item in one call: whole or not at all, and only on the version it saw. Rivals wait for every
 * statement, so empty lists are skipped, and one version is one row. A repeated unique key ends the call with an error
 * and undoes the whole change.
 *
 * The statements are planned once: a list as a parameter would have them planned anew every time.
 */
export const changes = (schema: string): string => `
create function ${schema}.commit_change(
  p_item text, p_expected bigint, p_version bigint, p_phase text, p_status text, p_revision_since text, p_body text,
  p_change uuid,
  p_entry bigint, p_claim text, p_advance text, p_comments text,
  p_kinds text[], p_ids text[], p_keys text[], p_open boolean[], p_bodies text[],
  p_hook_ids text[], p_hooks text[], p_hashes text[], p_texts text[]
) returns boolean language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  update ${schema}.item
    set version = p_version, phase = p_phase, status = p_status, revision_since = p_revision_since, body = p_body
    where id = p_item and version = p_expected;
  if not found then return false; end if;
  insert into ${schema}.change (item_id, version, id, entry, claim_id, advance, comments)
    values (p_item, p_version, p_change, p_entry, p_claim, p_advance, p_comments);
  if p_ids <> '{}' then
    insert into ${schema}.finding (kind, id, item_id, idempotency_key, is_open, body)
      select kind, id, p_item, key, is_open, body
      from unnest(p_kinds, p_ids, p_keys, p_open, p_bodies) as given (kind, id, key, is_open, body)
      on conflict (kind, id) do update set is_open = excluded.is_open, body = excluded.body;
  end if;
  if p_hook_ids <> '{}' then
    insert into ${schema}.outbox (id, item_id, body)
      select id, p_item, body from unnest(p_hook_ids, p_hooks) as given (id, body);
  end if;
  if p_hashes <> '{}' then
    insert into ${schema}.snapshot (hash, text)
      select hash, text from unnest(p_hashes, p_texts) as given (hash, text)
      on conflict do nothing;
  end if;
  return true;
end $$;

-- Commits many changes in one call. A change whose item is locked is skipped and its answer is null: the call never
-- waits for a lock while it holds others, so there is no deadlock and no queue behind one slow item.
create function ${schema}.commit_changes(p_changes json) returns boolean[] language plpgsql as $$
declare given record; found_version bigint; answers boolean[] := '{}';
begin
  for given in
    select * from json_to_recordset(p_changes) as one (
      place integer, item text, expected bigint, version bigint, phase text, status text,
      revision_since text, body text, change uuid, entry bigint, claim text, advance text, comments text,
      kinds text[], ids text[], keys text[], opens boolean[], bodies text[],
      hook_ids text[], hooks text[], hashes text[], texts text[]
    )
  loop
    select version into found_version from ${schema}.item where id = given.item for update skip locked;
    answers[given.place] := case
      when not found then null
      when found_version <> given.expected then false
      else ${schema}.commit_change(
        given.item, given.expected, given.version, given.phase, given.status, given.revision_since, given.body,
        given.change, given.entry, given.claim, given.advance, given.comments,
        given.kinds, given.ids, given.keys, given.opens, given.bodies,
        given.hook_ids, given.hooks, given.hashes, given.texts
      ) end;
  end loop;
  return answers;
end $$;
`;
