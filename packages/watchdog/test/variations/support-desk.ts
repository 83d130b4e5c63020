import { call, text, times, user } from "../case-builders.ts";
import { clockOf, fires, idOf, type Kind, staysSilent, wordOf } from "./kind.ts";

const failed = { ok: false } as const;

/** Agents that serve people: orders, tickets, mail, calendars, customers. */
export const supportDesk: readonly Kind[] = [
  fires(
    "a customer's record fetched again and again",
    times(5, () => call("find_user_id_by_email", { email: "raj@example.test" }, "raj_sanchez_2970")),
    times(6, () => call("salesforce_get_record", { object: "Account", id: "001A" }, { Id: "001A", Name: "Acme", Owner: { Name: "Kim" } })),
    times(5, (n) => call("hubspot.contacts.get", { contactId: 551 }, { id: 551, properties: { email: "a@b.test" }, fetchedAt: 1_760_000_000_000 + n * 4000 })),
    times(6, (n) => [text(["One moment please.", "I am checking.", "Let me see.", "Still looking.", "Just a second.", "Thanks for waiting."][n] ?? ""), call("lookup_order", { order_id: "W-5519" }, '{"order_id":"W-5519","status":"delivered","items":[{"sku":"T1"}]}')]),
    times(5, () => call("zendesk_ticket_show", { ticket: 99812 }, "Ticket #99812\nstatus: open\nsubject: cannot log in")),
  ),
  fires(
    "the same action refused by the same rule",
    times(5, () => call("cancel_pending_order", { order_id: "#W4219", reason: "no longer needed" }, "Error: non-pending order cannot be cancelled")),
    times(5, (n) => call("update_reservation_flights", { reservation_id: "XEWRD9", cabin: "economy", payment_id: `gift_card_${String(n)}` }, "Error: gift card balance is not enough")),
    times(6, () => call("refund_payment", { charge: "ch_1", amount: 4000 }, { status: "failed", failure_reason: "charge_already_refunded" }, failed)),
    times(6, (n) => call("exchange_delivered_order_items", { order_id: "#W77", new_item_ids: [String(4000 + n)] }, "Error: new item not found or available")),
    times(5, () => call("calendar_create_event", { title: "Sync", start: "2026-04-02T10:00" }, "409 Conflict: the slot is taken", failed)),
  ),
  fires(
    "the same letter sent again",
    times(6, (n) => call("gmail_send_message", { to: "ceo@acme.test", subject: "Report", body: "Attached." }, { id: idOf(n), threadId: idOf(n + 40), labelIds: ["SENT"] })),
    times(6, (n) => call("send_sms", { to: "+491701", body: "Your code is on its way" }, `queued as SM${idOf(n).replaceAll("-", "")}`)),
    times(5, (n) => call("teams_post", { channel: "general", message: "Build is green" }, { ok: true, messageId: String(1_700_000_000_000 + n * 31_337) })),
    times(6, (n) => call("add_ticket_comment", { ticket: 12, body: "We are working on it." }, `Comment ${String(8001 + n)} added`)),
  ),
  fires(
    "the record is read, the change is refused, the record is read",
    times(5, () => [call("get_reservation_details", { reservation_id: "M20IZO" }, '{"reservation_id":"M20IZO","cabin":"basic_economy"}'), call("modify_reservation", { reservation_id: "M20IZO", cabin: "business" }, "Error: basic economy cannot be modified")]),
    times(4, () => [call("get_ticket", { id: 4 }, { id: 4, status: "locked" }), call("update_ticket", { id: 4, status: "closed" }, "ticket is locked", failed), call("get_agent", { id: "me" }, { role: "viewer" })]),
    times(5, (n) => [call("crm_fetch_deal", { deal: "D-7" }, { stage: "negotiation", seen: clockOf(n) }), call("crm_set_stage", { deal: "D-7", stage: "won" }, { success: false, message: "stage requires an amount" })]),
    times(5, () => [call("list_calendar", { day: "2026-03-01" }, "09:00 Standup\n10:00 Review"), call("move_event", { event: "Review", to: "09:00" }, "conflict with Standup", failed)]),
  ),
  fires(
    "the customer is asked what was already said",
    ["Could you share your account email?", "Please provide the email of your account?", "What is the email address on the account?", "Which email is on your account?"].flatMap((question) => [text(question), user("it is raj@example.test")]),
    times(4, () => [text("I am sorry to hear that. Could you please tell me your order number?"), user("#W-12, as I wrote")]),
    ["Würden Sie mir bitte Ihre Kundennummer nennen?", "Wie lautet Ihre Kundennummer?", "Können Sie mir Ihre Kundennummer nennen?", "Nennen Sie mir bitte Ihre Kundennummer?"].flatMap((question) => [text(question), user("4711")]),
    ["Do you want a refund or a replacement?", "Would you like a replacement or a refund?", "Just so I am sure: refund or replacement?", "Is it a refund or a replacement that you want?"].flatMap((question) => [text(question), user("A refund."), text("Understood.")]),
  ),
  staysSilent(
    "many customers, one kind of answer",
    times(18, (n) => call("enrich_lead", { lead_id: `L-${String(2000 + n)}` }, "ok")),
    times(15, (n) => call("assign_ticket", { ticket: 700 + n, agent: "kim" }, { success: true })),
    times(20, (n) => call("archive_email", { message_id: idOf(n) }, "Done")),
    times(12, (n) => [call("get_contact", { id: n }, { id: n, name: wordOf(n), tags: [] }), call("tag_contact", { id: n, tag: "2026" }, { updated: true })]),
    times(16, (n) => call("hubspot.deals.update", { dealId: String(300 + n), properties: { pipeline: "new" } }, { status: 200 })),
    times(14, (n) => call("unsubscribe", { address: `${wordOf(n)}@x.test` }, "unsubscribed")),
  ),
  staysSilent(
    "one customer's case worked through",
    [call("find_user_id_by_name_zip", { first_name: "Ivan", zip: "78704" }, "ivan_k_1"), call("get_user_details", { user_id: "ivan_k_1" }, '{"orders":["#W1","#W2","#W3"]}'), ...times(3, (n) => call("get_order_details", { order_id: `#W${String(n + 1)}` }, `{"order_id":"#W${String(n + 1)}","status":"delivered","items":[{"item_id":"${String(n * 91)}"}]}`)), ...times(4, (n) => call("get_product_details", { product_id: String(900 + n) }, `{"name":"${wordOf(n)}","variants":{}}`)), text("Shall I exchange the lamp for the brighter one?"), user("yes"), call("exchange_delivered_order_items", { order_id: "#W2", item_ids: ["91"] }, '{"status":"exchange requested"}'), text("Done. Is there anything else?"), user("no, thanks")],
    [text("What is your booking code?"), user("ZFA04Y"), call("get_reservation_details", { reservation_id: "ZFA04Y" }, '{"cabin":"economy","flights":[]}'), text("Which date would you like instead?"), user("May 20"), call("search_direct_flight", { date: "2026-05-20" }, "[]"), call("search_onestop_flight", { date: "2026-05-20" }, '[[{"flight_number":"HAT1"}]]'), text("There is one with a stop. Shall I take it?"), user("yes"), call("update_reservation_flights", { reservation_id: "ZFA04Y", flights: ["HAT1"] }, '{"ok":true}'), call("get_reservation_details", { reservation_id: "ZFA04Y" }, '{"cabin":"economy","flights":["HAT1"]}')],
    times(4, (n) => [user(`and ticket ${String(n)}?`), call("get_ticket", { id: n }, { id: n, status: "open" }), text(`Ticket ${String(n)} is still open.`)]),
    [text("May I have your name?"), user("Li"), text("And your date of birth?"), user("1 May"), text("Thank you. What can I do for you?"), user("change my seat"), text("Which seat would you like?"), user("12A"), call("change_seat", { seat: "12A" }, "Seat 12A is taken", failed), text("12A is taken, would 12C be fine?"), user("ok"), call("change_seat", { seat: "12C" }, "Seat changed")],
  ),
  staysSilent(
    "a mailbox read message by message",
    times(15, (n) => call("gmail_read", { id: idOf(n) }, `From: ${wordOf(n)}@x.test\nSubject: ${wordOf(n + 3)}\n\nHello`)),
    times(10, (n) => call("list_messages", { label: "INBOX", pageToken: n === 0 ? "" : `tok${wordOf(n)}` }, { messages: [{ id: idOf(n) }, { id: idOf(n + 50) }], nextPageToken: `tok${wordOf(n + 1)}` })),
    times(9, (n) => call("next_email", {}, `Subject: ${wordOf(n)} and ${wordOf(n + 9)}`)),
    times(12, (n) => [call("read_message", { id: n }, `Please ${wordOf(n)}`), call("reply", { id: n, body: `Dear ${wordOf(n)}, thank you.` }, "sent")]),
  ),
  staysSilent(
    "looking for a free slot",
    times(7, (n) => call("check_availability", { day: `2026-05-${String(10 + n)}`, room: "A" }, n < 6 ? "booked" : "free")),
    times(5, (n) => call("find_slot", { person: wordOf(n), week: 20 }, `free: ${["Mon 9", "Tue 10", "Wed 9", "Thu 14", "Fri 8"][n] ?? ""}`)),
    times(6, (n) => call("search_direct_flight", { origin: "JFK", destination: "SEA", date: `2026-05-1${String(n)}` }, `[{"flight_number":"HAT${String(n * 7)}","price":${String(100 + n * 13)}}]`)),
    times(5, (n) => call("hotel_search", { city: ["Porto", "Lisbon", "Faro", "Braga", "Coimbra"][n] ?? "" }, n < 4 ? [] : [{ name: "Casa" }])),
  ),
];
