/**
 * English words for common German ones: the built-in embedder knows English alone.
 *
 * Not a translation: word order hardly matters for what a text is about. A word that is missing stays as it is, and a
 * compound is understood by its parts.
 */
import { germanStem, partsOfCompound } from "./german.ts";
import { isFiller } from "./languages.ts";
import { wordsOf } from "./words.ts";

/** A German word without accents, then its English. */
const WORDS = `
abbild image, abbrechen cancel abort, abend evening, abfahrt departure, abfall waste, abfrage query, abgeben submit,
abgleich reconciliation matching, abhangig dependent, abholen collect pick up, ablage filing storage, ablauf process
flow, ablaufen expire, ablehnen reject, ablosen replace, abmelden log out sign off, abnahme acceptance, abonnement
subscription, abo subscription, abonnent subscriber, abrechnung billing settlement, abrufen fetch retrieve, absage
cancellation, absatz paragraph sales, abschalten switch off, abschluss completion, abschnitt section, absender sender,
absicht intention, abstand distance, abstimmung vote agreement, absturz crash, abteilung department, abwesenheit absence,
abzug deduction, achten respect, adresse address, akte record file, aktion action, aktiv active, aktuell current,
alarm alarm, alt old, alter age, amt office authority, analyse analysis, anbieten offer, anbieter provider vendor,
anderung change, anfang beginning, anfordern request, anforderung requirement, anfrage request enquiry, angabe detail,
angebot offer, angehorige relatives, angestellte employee, angriff attack, anhang attachment appendix, ankunft arrival,
anlage attachment facility, anlass occasion, anlegen create, anleitung instructions guide, anliegen concern, anmelden log in
sign in register, anmeldung registration login, annahme acceptance assumption, annehmen accept, anpassen adapt customize,
anruf call, anrufen call phone, ansage announcement, anschauen look at view, anschluss connection, anschrift address,
ansehen view look at, ansicht view, anspruch claim, anteil share, antrag application claim, antwort answer reply, anweisung
instruction, anwender user, anwendung application, anwesenheit attendance, anzahl number count, anzeige display
notice, anzeigen show display, apotheke pharmacy, apparat device, arbeit work, arbeiten work, arbeitgeber employer,
arbeitnehmer employee, archiv archive, archivieren archive, art kind type, artikel article item, arznei medicine drug, arzt
doctor physician, aufbau structure, aufbewahren keep retain, aufenthalt stay, auffrischung booster refresh, aufgabe
task, aufladen charge, auflosen resolve dissolve, aufnahme recording picture admission, aufnehmen record, aufrufen call open,
aufsicht supervision, auftrag order job, auftraggeber client, aufwand effort, aufzeichnung recording, aufzug lift elevator,
auge eye, ausbildung training education, ausdruck expression print, ausfall outage failure, ausfullen fill in, ausgabe
output issue expense, ausgang exit output, auskunft information, ausland abroad, auslastung utilization, ausleihe lending
loan, ausleihen lend borrow, auslosen trigger, ausnahme exception, ausrustung equipment, aussage statement, aussehen look,
aussen outside, ausstattung equipment, austausch exchange, auswahl selection choice, auswahlen select choose, ausweis id
card, auswertung evaluation report, auszahlung payout, auto car, automat machine, automatisch automatic, bad bath, bahn
train tram, bahnhof station, bahnsteig platform, bank bank, bar cash, batterie battery, bau construction, bauen build,
baustein building block module, baustelle construction site, bauteil component, beachten observe, beamter official, beantragen apply
for, bearbeiten edit process, bedarf demand need, bedeuten mean, bedienen operate serve, bedingung condition, bedrohung threat,
beenden end finish, befehl command, befinden be located, befragung survey, befugnis authorization permission, befund finding
result, beginn start, begleiten accompany, begrenzen limit, begriff term, begrunden justify, behalten keep, behandlung
treatment, behinderung disability, behorde authority, beifugen attach, beispiel example, beitrag contribution, bekannt known,
bekommen get receive, beleg receipt voucher, beliebig any, bemerkung remark, benachrichtigen notify inform, benachrichtigung
notification, benutzen use, benutzer user, beobachten observe watch, beratung advice counselling, berechnen calculate,
berechnung calculation, berechtigung permission privilege, bereich area, bereit ready, bereitschaft standby, bericht report,
berichten report, beruf profession, bescheid notice, bescheinigung certificate, beschreiben describe, beschreibung
description, beschwerde complaint, besitzer owner, besprechung meeting, bestand stock inventory, bestatigen confirm, bestatigung
confirmation, bestellen order, bestellung order, bestimmen determine, besuch visit, besucher visitor, betrachten view look,
betrachter viewer, betrag amount, betreff subject, betreiber operator, betreuer supervisor, betreuung care support,
betrieb operation company, betroffen affected, betrug fraud, bett bed, bewahren keep, bewegung movement, beweis proof evidence,
bewerber applicant, bewerbung application, bewerten rate evaluate, bewertung rating review, bewilligen grant approve, bezahlen pay,
bezahlung payment, beziehung relation, bezirk district, bild picture image, bilden form, bildschirm screen, bildung education,
billig cheap, bitte request, bitten ask request, blatt sheet, blind blind, blut blood, boden floor ground, borse stock exchange,
brand fire, breite width, brief letter, bringen bring, brucke bridge, buch book, buchen book, bucherei library, buchhalter
accountant, buchhaltung accounting, buchung booking, buhne stage, burger citizen, burgschaft guarantee, buro office, bus bus,
charge batch lot, chef boss, code code, dach roof, datei file, daten data, datenbank database, datenschutz privacy data
protection, datum date, dauer duration, dauerhaft permanent, defekt defect broken, dichte density, dienst service duty, dienstleister
service provider, dienstplan roster, dokument document, doppelt double duplicate, dosierung dosage, drehen turn, dringend urgent,
dringlichkeit urgency, dritte third, drucken print, drucker printer, druck pressure print, dunkel dark, durchfuhren perform,
durchleuchtung x-ray fluoroscopy, durchschnitt average, durchsuchen search, ebene level, echt real, echtzeit real time, eigen own,
eigenschaft property, eigentumer owner, eigentum property ownership, eilig urgent, einbau installation, einfach simple easy, einfahrt
entrance, einfugen insert, einfuhrung introduction, eingabe input, eingang entrance receipt, eingeben enter type, einheit unit, einkauf
purchase shopping, einkaufen buy shop, einkommen income, einladen invite, einladung invitation, einlosen redeem, einnahme income
revenue, einrichten set up, einrichtung facility, einsatz use assignment, einschreiben enrol, einsehen inspect view, einsicht access
insight, einspruch objection, einstellen set hire, einstellung setting, einteilen assign, eintrag entry, eintragen enter register,
eintritt admission, einwilligung consent, einzahlen deposit, einziehen collect, einzug collection, einzeln single, elektrisch electric,
eltern parents, email email, empfang reception, empfanger recipient, empfehlen recommend, empfehlung recommendation, ende end,
energie energy, engpass shortage bottleneck, entdecken discover, entfernen remove, entfernung distance, enthalten contain, entlassung
dismissal discharge, entleihen borrow, entscheiden decide, entscheidung decision, entschuldigung excuse apology, entsorgung disposal,
entwerfen design draft, entwerten validate, entwickeln develop, entwickler developer, entwicklung development, entwurf draft, erfahren
learn, erfahrung experience, erfassen record capture, erfolg success, erforderlich required, erfullen fulfil, ergebnis result, erganzen
add complete, erhalten receive get, erheben collect, erhohen increase, erinnern remind, erinnerung reminder, erkennen recognize,
erklaren explain, erklarung explanation, erlauben allow permit, erlaubnis permission, erledigen complete, ermassigung discount reduction,
ermitteln determine, ernte harvest, eroffnen open, erreichbar reachable, erreichen reach, ersatz replacement, ersatzteil spare part,
erscheinen appear, ersetzen replace, erstatten refund reimburse, erstattung refund reimbursement, erstellen create, erteilen grant issue,
ertrag yield revenue, erwachsener adult, erwarten expect, erweitern extend, erweiterung extension, erzeugen generate, essen food meal,
experte expert, fach subject compartment, facharzt specialist, fachlich professional, faden thread, fahig able, fahigkeit ability,
fahren drive ride, fahrer driver, fahrgast passenger, fahrkarte ticket, fahrplan timetable schedule, fahrpreis fare, fahrrad bicycle,
fahrschein ticket, fahrt trip journey, fahrzeug vehicle, fall case, fallig due, falligkeit due date, falsch wrong false, familie
family, farbe colour, fassung version, fehlen missing lack, fehler error bug, fehlerhaft faulty, feiertag holiday, feld field, fenster
window, ferien holidays, fern remote, fertig ready finished, fest fixed, festlegen define, festplatte disk, feuer fire, feuerwehr fire
brigade, fieber fever, filiale branch, finden find, firma company, flache area, flug flight, flughafen airport, folge consequence,
folgen follow, fordern demand, forderung claim, form form, formular form, forschung research, fortschritt progress, fortsetzen continue,
foto photo picture, frage question, fragen ask, frau woman, frei free vacant, freigabe release approval, freigeben release approve,
freischalten activate unlock, fremd foreign, freund friend, frist deadline, fuhren lead, fuhrung guide leadership, fullen fill, fund
find, fundburo lost property office, funk radio wireless, funktion function, fuss foot, garage garage, garten garden, gast guest,
gebaude building, geben give, gebiet area, gebuhr fee charge, geburt birth, gefahr danger, gegenstand item object, geheim secret, gehalt
salary, gehen go, geld money, gelten be valid, gemeinde municipality, gemeinsam shared common, genau exact, genehmigen approve permit,
genehmigung approval permit, gerat device, gericht court dish, gering low, gesamt total, geschaft business shop, geschehen happen,
geschenk gift, geschichte history story, geschwindigkeit speed, gesellschaft company society, gesetz law, gesicht face, gesprach
conversation, gestalten design, gestern yesterday, gesundheit health, getrankt drink, gewahren grant, gewerkschaft union, gewicht weight,
gewinn profit, gewohnlich usual, glatt smooth, gleich equal same, gleis track, grenze limit border, grenzwert threshold limit, gross large,
grosse size, grund reason, gruppe group, gultig valid, gultigkeit validity, gunstig cheap, gut good, gutschein voucher coupon, gutschrift
credit, haben have, hafen port, haft liability, halb half, halten hold stop, haltestelle stop, hand hand, handel trade, handler
merchant dealer, handlung action, hausarzt family doctor, haus house, haushalt household budget, heft booklet, heim home, heizung
heating, helfen help, herkunft origin, herstellen produce, hersteller manufacturer, herunterladen download, heute today, hilfe help,
hinterlegen deposit, hinweis hint notice, hinzufugen add, hoch high, hochladen upload, hochst maximum, hof yard, hohe height, horen hear,
hotel hotel, hund dog, impfung vaccination immunization, impfen vaccinate, impfpass vaccination certificate, impfplan vaccination
schedule, impfstoff vaccine, immunisierung immunization, inhaber holder owner, inhalt content, inspektion inspection, interesse interest,
intern internal, jahr year, jahreszeit season, jugend youth, kabel cable, kalender calendar, kamera camera, kanal channel, kapital
capital, karte card map ticket, kasse cash register checkout insurance, kategorie category, kauf purchase, kaufen buy purchase, kaufer
buyer, kennung identifier, kennwort password, kennzeichen licence plate mark, kette chain, kilometer kilometre mileage, kind child,
kirche church, klage lawsuit complaint, klappe flap, klasse class, kleidung clothes, klein small, klinik clinic hospital, knapp scarce,
knopf button, kochen cook, koffer suitcase, kollege colleague, kommen come, kommentar comment, konto account, kontakt contact, kontrolle
check control inspection, kontrollieren check control, kopie copy, kopieren copy, korper body, korrektur correction, kosten cost,
kostenlos free, kraft power force, krank sick ill, krankenhaus hospital, krankenkasse health insurance, krankheit illness disease, kredit
credit loan, kreis circle, kuche kitchen, kundigen cancel terminate, kundigung cancellation termination, kunde customer, kunst art, kunstlich
artificial, kurs course, kurz short, labor laboratory, laden load charge shop, ladung charge load, lage situation location, lager
warehouse store, land country land, landkreis county, lang long, lange length, langsam slow, last load, lastschrift direct debit, laufen run,
laufzeit term runtime, laut loud, leben life, lebensmittel food, leer empty, legen lay put, lehre teaching, lehrer teacher, leicht easy
light, leihen borrow lend, leistung performance power benefit, leiten lead, leitung management line, lernen learn, lesen read, leser
reader, letzte last, leute people, licht light, lieferant supplier, liefern deliver, lieferung delivery, linie line, liste list, lizenz
licence, loschen delete erase, lohn wage, losen solve, losung solution, luft air, lucke gap, machen make do, mahnung reminder dunning,
mail mail, makler broker, mangel defect shortage, mann man, markieren mark highlight, markierung annotation mark, markt market, maschine
machine, maske screen form, mass measure, massnahme measure, material material, mauer wall, medikament medicine drug, medizin medicine,
meer sea, mehrwertsteuer vat, meister master foreman, melden report, meldung message notification, menge quantity amount, mensch person,
merken remember, merkmal feature, merkzettel wishlist, messe fair, messen measure, messung measurement, miete rent, mieten rent, mieter
tenant, mindest minimum, minute minute, mitarbeiter employee staff, mitglied member, mitnehmen take along, mittag noon, mitteilung message
notice, mittel means, mobel furniture, monat month, monatlich monthly, morgen morning tomorrow, mull garbage, munze coin, muster pattern
template, mutter mother, nachbar neighbour, nachbestellung reorder, nachfrage demand enquiry, nachfolger successor, nachricht message, nachrucker
next in line successor, nacht night, nachtrag addendum, nachtlich nightly, nachweis proof evidence, nahe near, name name, netz network,
neu new, niederlassung branch, niedrig low, norm standard, not emergency need, notfall emergency, notiz note, nummer number, nutzen use
benefit, nutzer user, oberflache surface interface, offen open, offentlich public, offnen open, offnung opening, ordnen order sort,
ordner folder, ordnung order, ort place, paar pair, paket parcel package, papier paper, parken parking, parkhaus garage, parkplatz parking
lot, partner partner, pass passport pass, passen fit, passwort password, patient patient, pause break pause, pendler commuter, person
person, personal staff, pflege care nursing, pflegekraft nurse, pflicht duty, plan plan schedule, planen plan, planung planning, platz
place seat space, polizei police, post mail post, postfach mailbox, praxis practice surgery, preis price, priorit priority, prioritat
priority, privat private, probe sample specimen, problem problem, produkt product, produktion production, programm program, projekt
project, protokoll log record minutes, prozent percent, prufen check verify, prufer inspector examiner, prufung check exam, punkt point,
punktlich punctual, qualitat quality, quelle source, quittung receipt, rabatt discount rebate, radiologie radiology, rampe ramp, rand
edge, rang rank, rat advice council, rathaus town hall, raum room, reagieren react, rechnen calculate, rechnung invoice bill, recht
right law, rechtzeitig in time, regal shelf, regel rule, regelwerk rules, region region, registrieren register, reihe row series, reihenfolge
order sequence, reinigung cleaning, reise travel trip, reisen travel, rente pension, reparatur repair, reservieren reserve, reserve
reserve, retten save rescue, rezept prescription recipe, richten direct, richter judge, richtig right correct, richtung direction, ring
ring, risiko risk, rolle role, rollstuhl wheelchair, rontgen x-ray, route route, rucken move, ruckgabe return, ruckerstattung refund,
rucksendung return, rufen call, ruhe rest, ruhezeit rest period, runde round, sache thing, sachbearbeiter clerk, saison season, sammeln
collect, satz sentence rate, sauber clean, schaden damage, schadigung harm, schalten switch, schalter switch counter, schatz treasure,
schatzung estimate, schauen look, schein ticket note, schicht shift layer, schicken send, schieben push, schiff ship, schild sign, schirm
umbrella screen, schlange queue line, schlecht bad, schliessen close, schloss lock, schlussel key, schmerz pain, schnell fast, schnittstelle
interface, schranke barrier, schreiben write, schrift font writing, schritt step, schuld debt, schule school, schuler pupil student, schutz
protection, schutzen protect, schwach weak, schwanger pregnant, schwer heavy severe, schwester sister nurse, see lake, sehen see, seite
page side, sekretariat secretary office, sekunde second, selbst self, senden send, sendung shipment broadcast, sensor sensor, serie series,
sicher safe secure, sicherheit security safety, sichern save secure backup, sicherung backup, sicht view, signal signal, sitz seat,
sitzung session meeting, software software, sonde probe, sorge care, sortieren sort, sparen save, spat late, speicher memory storage,
speichern save store, speisekarte menu, spende donation, sperre lock block, sperren block lock, spezialist specialist, spiegel mirror,
spiel game, spieler player, sport sport, sprache language, sprechen speak, sprechstunde consultation hours, spritze injection shot,
staat state, stadt city town, stand status stand, standort location site, stark strong, start start, statistik statistics, statt instead,
stau traffic jam, stelle place position, stellen put, stellplatz parking space, stellvertreter deputy, stempel stamp, steuer tax,
steuern control, stimme voice vote, stock floor, stoff substance, storung disruption fault, stornieren cancel, strafe penalty fine,
strasse street road, strecke route section, streit dispute, strom power electricity, stuck piece, student student, stufe level step,
stunde hour, suche search, suchen search find, summe sum, system system, tabelle table, tablette pill tablet, tag day, taglich daily,
tarif tariff rate, tasche bag, tausch swap exchange, tauschen swap exchange, team team, technik technology, teil part, teilen share
split, teilnahme participation, teilnehmer participant, telefon phone, termin appointment date, test test, text text, tief deep, tier
animal, tisch table, titel title, tod death, ton sound, tor gate, tragen carry, transport transport, treffen meet, treffer hit match,
trennen separate, treppe stairs, tur door, turnus cycle, typ type, uberblick overview, ubergabe handover, ubergang transition, ubergeben
hand over, uberlegen consider, ubermitteln transmit, ubernehmen take over, uberprufen check, uberschneidung overlap, ubersetzen translate,
ubersicht overview dashboard, ubertragen transfer, uberwachen monitor, uberwachung monitoring, uberweisen transfer refer, uberweisung referral
transfer, ubung exercise, uhr clock, uhrzeit time, umfang scope, umfrage survey, umgebung environment, umkehren reverse, umlauf
circulation block, umsatz turnover, umsteigen change transfer, umstieg transfer, umtausch exchange, umzug move, unbekannt unknown,
unfall accident, universitat university, unterbrechen interrupt, unterbrechung interruption, unterhalt maintenance, unterlage document,
unternehmen company, unterricht lesson, unterschied difference, unterschreiben sign, unterschrift signature, unterstutzen support, unterstutzung
support, untersuchung examination inspection, unterwegs on the way, unzulassig inadmissible, urkunde certificate, urlaub holiday vacation,
ursache cause, urteil judgment, vater father, verandern change, verantwortlich responsible, verband bandage association, verbandsmaterial bandages
dressing, verbinden connect, verbindung connection, verbot ban, verbrauch consumption, verbraucher consumer, verein club, vereinbaren arrange
agree, vereinbarung agreement, verfahren procedure, verfallen expire, verfolgen track, verfugbar available, verfugbarkeit availability,
vergangen past, vergeben assign, vergessen forget, vergleich comparison, vergleichen compare, vergutung remuneration, verhalten behaviour,
verhindern prevent, verkauf sale, verkaufen sell, verkaufer seller, verkehr traffic, verlag publisher, verlangern extend renew, verlangerung
extension renewal, verlauf history course, verlegen move reschedule, verlegung rescheduling, verleihen lend, verletzung injury,
verlieren lose, verlust loss, vermeiden avoid, vermieter landlord, vermissen miss, vermittlung mediation, vermogen assets, verordnen
prescribe, verordnung regulation prescription, verpacken pack, verpassen miss, verpflegung catering, verringern reduce, versammlung meeting,
versand shipping, verschicken send, verschieben postpone move, verschlusselung encryption, verschreiben prescribe, verschreibung prescription,
version version, versicherer insurer, versicherte insured, versicherung insurance, versorgung supply care, verspatung delay, verstandigen
notify, verstecken hide, verstehen understand, versuch attempt, vertrag contract, vertraulich confidential, vertrauen trust, vertreter
representative, vertretung substitute deputy locum, vertrieb sales, verwalten manage, verwaltung administration, verwarnung warning,
verweigern refuse, verwenden use, verzeichnis directory, verzug delay, vieh cattle, vollmacht power of attorney, vollstandig complete,
vorbereiten prepare, vorbestellen preorder reserve, vorgang transaction process, vorgesetzter superior, vorhersage forecast, vorlage template,
vormerken reserve, vormund guardian, vorrat stock supply, vorschau preview, vorschlag suggestion, vorschlagen suggest propose, vorschrift
regulation, vorsicht caution, vorstand board, vorteil advantage, vorubergehend temporary, vorwarnung early warning, wache guard, wachsen
grow, waffe weapon, wagen car vehicle, wahl choice election, wahlen choose vote, wahrung currency, wald forest, ware goods, warenkorb
cart basket, warnen warn, warnung warning, warten wait, warteliste waiting list, wartung maintenance, wasser water, wechsel change, wechseln
change switch, wechselwirkung interaction, weg way path, weisung instruction, weit far, weitergeben pass on forward, weiterleiten forward,
welt world, werben advertise, werbung advertising, werk plant, werkstatt workshop, werkzeug tool, wert value, wesentlich essential,
wetter weather, wichtig important, widerruf withdrawal revocation, widerspruch objection, wiederherstellen restore, wiederholen
repeat retry, wiese meadow, wirken act, wirkstoff active substance ingredient, wirkung effect, wirtschaft economy, wissen know knowledge,
woche week, wochentlich weekly, wohnen live, wohnung flat apartment, wort word, wunsch wish, zahl number, zahlen count pay, zahler counter meter, zahlung
payment, zahn tooth, zahnarzt dentist, zeichen sign, zeichnen draw, zeigen show, zeile line row, zeit time, zeitplan schedule, zeitraum
period, zeitung newspaper, zentral central, zerstoren destroy, zeuge witness, zeugnis certificate, ziehen pull, ziel goal target, ziffer
digit number, zimmer room, zins interest, zone zone, zubehor accessories, zug train, zugang access, zugriff access, zukunft future, zulassen
admit allow, zulassung approval, zuordnen assign, zuruck back, zusage commitment, zusammenfassung summary, zustandig responsible,
zustandigkeit responsibility, zustand state condition, zustellen deliver, zustellung delivery, zustimmen agree consent, zustimmung consent
approval, zuteilen allocate, zuverlassig reliable, zuzahlung copayment, zweck purpose, zweifel doubt, zweig branch, zwischenzeit meantime`;

const ENGLISH: ReadonlyMap<string, string> = new Map(
  WORDS.replaceAll("\n", " ").split(",").map((entry) => entry.trim().split(/ (.*)/)).map((
    [german = "", english = ""],
  ) => [germanStem(german), english] as const),
);

/** What a German text is about, in English words. */
export function inEnglish(text: string): string {
  return wordsOf(text).filter((word) => !isFiller(word, "de")).map(englishOf).join(" ");
}

function englishOf(word: string): string {
  const stem = germanStem(word);
  const known = ENGLISH.get(stem);
  if (known !== undefined) return known;
  const parts = partsOfCompound(stem, (part) => ENGLISH.has(part));
  return parts.length === 0 ? word : parts.map((part) => ENGLISH.get(part)!).join(" ");
}
