/**
 * Thirty facts of projects that nothing was tuned with, each asked in other words, in four languages, and questions that
 * none of them answers. Written before any of them was scored. Only the first half of each list may be looked at when
 * something is improved; the second half shows what that is worth.
 */
import type { Pair } from "./relevance_set.ts";

export const PARAPHRASED: readonly Pair[] = [
  [
    "Berths are held for fifteen minutes while the skipper pays",
    "How long does a boat keep its place during checkout?",
  ],
  [
    "We sign webhooks with HMAC-SHA256 and rotate the secret every quarter",
    "How do receivers know that our callbacks are genuine?",
  ],
  ["Uploads larger than 200 MB are refused by the gateway", "What is the biggest file a user can send us?"],
  [
    "The staging database is rebuilt from an anonymised dump every Sunday",
    "Where does the data in the test environment come from?",
  ],
  [
    "Tide tables are licensed from the hydrographic office until 2028",
    "Who do we buy the high and low water times from?",
  ],
  [
    "Feature flags live in a YAML file in the repository, not in a service",
    "How do we switch functionality on and off?",
  ],
  ["Invoices must keep their number even if they are cancelled", "Can we reuse the number of a voided bill?"],
  ["The mobile app supports Android 10 and newer", "Which phones are too old for our application?"],
  ["Deployments are frozen from 20 December to 6 January", "When are we not allowed to release?"],
  [
    "Background jobs retry five times with exponential backoff, then go to the dead letter queue",
    "What happens to a task that keeps failing?",
  ],
  [
    "Every pull request needs two approvals, one of them from the platform team",
    "How many people have to review a change before it is merged?",
  ],
  ["Passwords are hashed with Argon2id using 64 MB of memory", "Which algorithm protects user credentials?"],
  [
    "The crane schedule is optimised by a nightly batch written in Rust",
    "In which language is the lift planning implemented?",
  ],
  [
    "Customer support answers within four business hours",
    "How quickly do clients get a reply to their tickets?",
  ],
  ["Logs are kept for ninety days and then deleted", "What is our retention period for log files?"],
  [
    "We moved from Kafka to NATS because the cluster was too costly to operate",
    "Why did we change the message broker?",
  ],
  [
    "Prices are shown without tax to companies and with tax to private customers",
    "Do business buyers see net or gross amounts?",
  ],
  [
    "The search index is refreshed ten seconds after an article is saved",
    "How soon can new content be found?",
  ],
  ["Only the harbour master may overrule a closed pier", "Who is permitted to open a blocked jetty?"],
  ["Dates in the API are ISO 8601 in UTC", "What format do timestamps have in our interface?"],
  [
    "Flaky tests are quarantined by label and fixed within a week",
    "How do we treat unreliable checks in the pipeline?",
  ],
  ["The monorepo is built with Bazel and a shared remote cache", "Which build system do we use?"],
  ["Winter storage contracts end automatically on 30 April", "On what day do boats have to leave the shed?"],
  [
    "Personal data of guests is erased thirty days after departure",
    "When do we remove information about former visitors?",
  ],
  [
    "The load balancer drops connections that are idle for sixty seconds",
    "Why do quiet websockets get disconnected after a minute?",
  ],
  ["Translations are managed in Weblate by volunteers", "Who localises our texts?"],
  ["Accessibility target is WCAG 2.2 level AA", "Which standard for disabled users do we have to meet?"],
  ["Electricity at the pier is metered per socket and billed monthly", "How are skippers charged for power?"],
  [
    "Secrets are stored in Vault and injected at start, never in images",
    "Where do we keep API keys and passwords?",
  ],
  ["The on-call engineer changes every Monday at ten", "When does the pager get handed over?"],
];

export const UNANSWERED: readonly string[] = [
  "Which colour does the company logo have?",
  "How many parking spaces does the office have?",
  "What is the name of the dog of our founder?",
  "Does the newsletter have a French edition?",
  "Which airline do we fly with?",
  "How is the coffee machine cleaned?",
  "What did the summer party cost?",
  "Which university do our interns come from?",
  "Is there a discount for gym memberships?",
  "Which font do we use in presentations?",
];

export const PARAPHRASED_GERMAN: readonly Pair[] = [
  [
    "Liegeplätze bleiben fünfzehn Minuten reserviert, während bezahlt wird",
    "Wie lange wird ein Platz beim Bezahlen freigehalten?",
  ],
  [
    "Webhooks werden mit HMAC-SHA256 signiert",
    "Woran erkennt ein Empfänger, dass unsere Webhooks echt sind?",
  ],
  ["Dateien über 200 MB weist das Gateway ab", "Wie groß darf eine Datei höchstens sein?"],
  [
    "Die Testdatenbank wird jeden Sonntag aus einem anonymisierten Abzug neu aufgebaut",
    "Woher kommen die Daten in der Testumgebung?",
  ],
  [
    "Gezeitentafeln beziehen wir bis 2028 vom Hydrographischen Amt",
    "Wer liefert uns die Zeiten von Ebbe und Flut?",
  ],
  ["Funktionsschalter stehen in einer YAML-Datei im Repository", "Wo schalten wir Funktionen ein und aus?"],
  [
    "Eine Rechnung behält ihre Nummer, auch wenn sie storniert wird",
    "Darf die Nummer einer stornierten Rechnung noch einmal vergeben werden?",
  ],
  ["Die App läuft ab Android 10", "Welche Android-Version wird mindestens gebraucht?"],
  [
    "Zwischen dem 20. Dezember und dem 6. Januar wird nichts ausgeliefert",
    "Wann dürfen wir keine neue Version ausliefern?",
  ],
  [
    "Hintergrundaufgaben werden fünfmal wiederholt und landen dann in der Fehlerwarteschlange",
    "Was passiert mit Aufgaben, die immer wieder scheitern?",
  ],
  [
    "Jede Änderung braucht zwei Freigaben, eine davon vom Plattformteam",
    "Wie viele Freigaben sind vor dem Zusammenführen nötig?",
  ],
  ["Kennwörter werden mit Argon2id gehasht", "Welches Verfahren schützt die Kennwörter?"],
  [
    "Der Kranplan wird nachts von einem Programm in Rust berechnet",
    "In welcher Sprache ist die Planung der Kräne geschrieben?",
  ],
  [
    "Der Kundendienst antwortet innerhalb von vier Arbeitsstunden",
    "Wie schnell bekommen Kunden eine Antwort?",
  ],
  ["Protokolle werden neunzig Tage aufbewahrt", "Wie lange heben wir Protokolle auf?"],
  [
    "Von Kafka sind wir zu NATS gewechselt, weil der Betrieb zu teuer war",
    "Warum benutzen wir Kafka nicht mehr?",
  ],
  ["Firmen sehen Preise ohne Steuer, Privatkunden mit Steuer", "Werden Firmen Nettopreise angezeigt?"],
  [
    "Der Suchindex ist zehn Sekunden nach dem Speichern aktuell",
    "Nach welcher Zeit findet die Suche neue Artikel?",
  ],
  [
    "Nur der Hafenmeister darf einen gesperrten Steg freigeben",
    "Wer darf einen gesperrten Steg wieder öffnen?",
  ],
  ["Zeitangaben der Schnittstelle sind ISO 8601 in UTC", "Welches Format haben Zeiten in der Schnittstelle?"],
  [
    "Unzuverlässige Tests werden markiert und binnen einer Woche repariert",
    "Was tun wir mit Tests, die nur manchmal durchlaufen?",
  ],
  ["Gebaut wird mit Bazel und einem gemeinsamen Cache", "Womit bauen wir das Projekt?"],
  ["Verträge für das Winterlager enden am 30. April von selbst", "Wann läuft ein Winterlagervertrag aus?"],
  [
    "Daten von Gästen werden dreißig Tage nach der Abreise gelöscht",
    "Wann löschen wir, was wir über Gäste wissen?",
  ],
  [
    "Der Lastverteiler trennt Verbindungen, die sechzig Sekunden still sind",
    "Warum brechen stille Verbindungen nach einer Minute ab?",
  ],
  ["Übersetzungen pflegen Freiwillige in Weblate", "Wer kümmert sich um die Übersetzungen?"],
  [
    "Bei der Barrierefreiheit gilt WCAG 2.2, Stufe AA",
    "Welche Stufe der Barrierefreiheit müssen wir erreichen?",
  ],
  [
    "Strom am Steg wird je Steckdose gezählt und monatlich abgerechnet",
    "Wie wird der Strom am Steg abgerechnet?",
  ],
  ["Geheimnisse liegen in Vault und nie in Abbildern", "Wo bewahren wir Geheimnisse auf?"],
  ["Die Rufbereitschaft wechselt montags um zehn", "Wann wird die Rufbereitschaft übergeben?"],
];

export const UNANSWERED_GERMAN: readonly string[] = [
  "Welche Farbe hat das Firmenlogo?",
  "Wie viele Parkplätze hat das Büro?",
  "Wie heißt der Hund der Gründerin?",
  "Gibt es den Rundbrief auch auf Französisch?",
  "Mit welcher Fluglinie reisen wir?",
  "Wie wird die Kaffeemaschine gereinigt?",
  "Was hat das Sommerfest gekostet?",
  "Von welcher Hochschule kommen die Praktikantinnen?",
  "Bekommen wir Rabatt im Fitnessstudio?",
  "Welche Schriftart haben unsere Folien?",
];

export const PARAPHRASED_FRENCH: readonly Pair[] = [
  [
    "Les places de port restent réservées quinze minutes pendant le paiement",
    "Combien de temps une place est-elle gardée pendant qu'on paie ?",
  ],
  ["Les webhooks sont signés avec HMAC-SHA256", "Comment le destinataire vérifie-t-il nos webhooks ?"],
  [
    "La passerelle refuse les fichiers de plus de 200 Mo",
    "Quelle est la taille maximale d'un fichier envoyé ?",
  ],
  [
    "La base de test est reconstruite chaque dimanche à partir d'une copie anonymisée",
    "D'où viennent les données de l'environnement de test ?",
  ],
  [
    "Les tables de marées sont fournies par le service hydrographique jusqu'en 2028",
    "Qui nous vend les horaires des marées ?",
  ],
  [
    "Les options de fonctionnalités sont dans un fichier YAML du dépôt",
    "Où active-t-on une fonctionnalité ?",
  ],
  [
    "Une facture garde son numéro même si elle est annulée",
    "Peut-on réutiliser le numéro d'une facture annulée ?",
  ],
  [
    "L'application mobile demande au moins Android 10",
    "Quels téléphones sont trop anciens pour l'application ?",
  ],
  [
    "Aucun déploiement n'a lieu entre le 20 décembre et le 6 janvier",
    "À quelle période est-il interdit de livrer ?",
  ],
  [
    "Les tâches de fond sont relancées cinq fois puis mises dans la file des erreurs",
    "Que devient une tâche qui échoue toujours ?",
  ],
  [
    "Chaque modification demande deux approbations, dont une de l'équipe plateforme",
    "Combien de personnes doivent valider un changement ?",
  ],
  ["Les mots de passe sont hachés avec Argon2id", "Quel algorithme protège les mots de passe ?"],
  [
    "Le planning des grues est calculé la nuit par un programme en Rust",
    "Dans quel langage est écrit le calcul du planning ?",
  ],
  ["Le support répond en quatre heures ouvrées", "En combien de temps un client reçoit-il une réponse ?"],
  ["Les journaux sont conservés quatre-vingt-dix jours", "Combien de temps garde-t-on les journaux ?"],
  [
    "Nous avons quitté Kafka pour NATS car l'exploitation coûtait trop cher",
    "Pourquoi avoir abandonné Kafka ?",
  ],
  [
    "Les entreprises voient les prix hors taxe, les particuliers toutes taxes comprises",
    "Quel prix affiche-t-on aux professionnels ?",
  ],
  [
    "L'index de recherche est à jour dix secondes après l'enregistrement",
    "Quand un nouvel article devient-il trouvable ?",
  ],
  ["Seul le capitaine du port peut rouvrir un ponton fermé", "Qui a le droit de rouvrir un ponton ?"],
  ["Les dates de l'API sont en ISO 8601 et en UTC", "Quel format ont les dates dans l'interface ?"],
  [
    "Les tests instables sont mis à l'écart et corrigés dans la semaine",
    "Que fait-on des tests qui échouent parfois ?",
  ],
  ["Le dépôt est construit avec Bazel et un cache partagé", "Avec quel outil compile-t-on le projet ?"],
  ["Les contrats d'hivernage se terminent le 30 avril", "Quand finit le stockage d'hiver des bateaux ?"],
  [
    "Les données des visiteurs sont effacées trente jours après leur départ",
    "Quand supprime-t-on les informations des anciens clients ?",
  ],
  [
    "Le répartiteur de charge coupe les connexions inactives après soixante secondes",
    "Pourquoi une connexion silencieuse est-elle coupée au bout d'une minute ?",
  ],
  ["Les traductions sont faites par des bénévoles dans Weblate", "Qui traduit nos textes ?"],
  ["L'accessibilité vise le niveau AA de WCAG 2.2", "Quelle norme d'accessibilité devons-nous respecter ?"],
  [
    "L'électricité du ponton est comptée par prise et facturée chaque mois",
    "Comment facture-t-on le courant ?",
  ],
  ["Les secrets sont dans Vault, jamais dans les images", "Où range-t-on les clés d'API ?"],
  ["L'astreinte change chaque lundi à dix heures", "Quand passe-t-on l'astreinte au suivant ?"],
];

export const UNANSWERED_FRENCH: readonly string[] = [
  "De quelle couleur est le logo de l'entreprise ?",
  "Combien de places de parking a le bureau ?",
  "Comment s'appelle le chien de la fondatrice ?",
  "La lettre d'information existe-t-elle en allemand ?",
  "Avec quelle compagnie aérienne voyageons-nous ?",
  "Comment nettoie-t-on la machine à café ?",
  "Combien a coûté la fête d'été ?",
  "De quelle école viennent nos stagiaires ?",
  "Y a-t-il une réduction pour la salle de sport ?",
  "Quelle police utilisons-nous dans les présentations ?",
  "Quelle est la profondeur du bassin numéro trois ?",
  "Combien de serveurs avons-nous dans le centre de données ?",
  "Quel navigateur faut-il pour l'espace client ?",
  "Qui a écrit la première version de l'application ?",
  "Dans quel fuseau horaire se trouve le port ?",
  "Combien coûte une nuit au ponton pour un voilier ?",
  "Quelle bibliothèque de graphiques utilisons-nous ?",
  "Combien de langues parle l'équipe de support ?",
  "Quelle est la version de PostgreSQL en production ?",
  "Où se trouve le bouton de déconnexion ?",
];

export const PARAPHRASED_SPANISH: readonly Pair[] = [
  [
    "Los amarres quedan reservados quince minutos durante el pago",
    "¿Cuánto tiempo se guarda un amarre mientras se paga?",
  ],
  ["Los webhooks se firman con HMAC-SHA256", "¿Cómo sabe el receptor que nuestros webhooks son auténticos?"],
  ["La pasarela rechaza archivos de más de 200 MB", "¿Qué tamaño máximo puede tener un archivo?"],
  [
    "La base de pruebas se reconstruye cada domingo con una copia anónima",
    "¿De dónde salen los datos del entorno de pruebas?",
  ],
  [
    "Las tablas de mareas vienen del instituto hidrográfico hasta 2028",
    "¿Quién nos vende los horarios de las mareas?",
  ],
  [
    "Los interruptores de funciones están en un archivo YAML del repositorio",
    "¿Dónde se activan las funciones?",
  ],
  [
    "Una factura conserva su número aunque se anule",
    "¿Se puede reutilizar el número de una factura anulada?",
  ],
  ["La aplicación móvil necesita Android 10 o posterior", "¿Qué versión de Android hace falta?"],
  ["No se despliega nada entre el 20 de diciembre y el 6 de enero", "¿Cuándo está prohibido desplegar?"],
  [
    "Las tareas se repiten cinco veces y luego pasan a la cola de errores",
    "¿Qué ocurre con una tarea que siempre falla?",
  ],
  [
    "Cada cambio necesita dos aprobaciones, una del equipo de plataforma",
    "¿Cuántas personas deben aprobar un cambio?",
  ],
  ["Las contraseñas se cifran con Argon2id", "¿Qué algoritmo protege las contraseñas?"],
  [
    "El plan de las grúas lo calcula de noche un programa en Rust",
    "¿En qué lenguaje está escrito el plan de las grúas?",
  ],
  ["Soporte responde en cuatro horas laborables", "¿En cuánto tiempo responde el equipo de soporte?"],
  ["Los registros se conservan noventa días", "¿Cuánto tiempo se guardan los registros?"],
  ["Dejamos Kafka por NATS porque operarlo era demasiado caro", "¿Por qué ya no usamos Kafka?"],
  [
    "Las empresas ven precios sin impuestos y los particulares con impuestos",
    "¿Qué precio se muestra a las empresas?",
  ],
  [
    "El índice de búsqueda se actualiza diez segundos después de guardar",
    "¿Cuándo aparece un artículo nuevo en la búsqueda?",
  ],
  ["Solo el capitán del puerto puede abrir un muelle cerrado", "¿Quién puede abrir un muelle cerrado?"],
  ["Las fechas de la API son ISO 8601 en UTC", "¿Qué formato tienen las fechas de la interfaz?"],
  [
    "Las pruebas inestables se apartan y se arreglan en una semana",
    "¿Qué hacemos con las pruebas que fallan a veces?",
  ],
  [
    "El repositorio se construye con Bazel y una caché compartida",
    "¿Con qué herramienta se construye el proyecto?",
  ],
  ["Los contratos de invierno terminan el 30 de abril", "¿Cuándo termina un contrato de invierno?"],
  [
    "Los datos de los visitantes se borran treinta días después de su salida",
    "¿Cuándo se borran los datos de antiguos clientes?",
  ],
  [
    "El balanceador corta las conexiones inactivas tras sesenta segundos",
    "¿Por qué se corta una conexión inactiva al cabo de un minuto?",
  ],
  ["Las traducciones las hacen voluntarios en Weblate", "¿Quién hace las traducciones?"],
  ["La accesibilidad debe cumplir WCAG 2.2, nivel AA", "¿Qué nivel de accesibilidad debemos cumplir?"],
  ["La electricidad del muelle se mide por enchufe y se cobra cada mes", "¿Cómo se cobra la electricidad?"],
  ["Los secretos están en Vault, nunca en las imágenes", "¿Dónde se guardan los secretos?"],
  ["La guardia cambia cada lunes a las diez", "¿Cuándo cambia la guardia?"],
];

export const UNANSWERED_SPANISH: readonly string[] = [
  "¿De qué color es el logotipo de la empresa?",
  "¿Cuántas plazas de aparcamiento tiene la oficina?",
  "¿Cómo se llama el perro de la fundadora?",
  "¿Existe el boletín en francés?",
  "¿Con qué aerolínea viajamos?",
  "¿Cómo se limpia la cafetera?",
  "¿Cuánto costó la fiesta de verano?",
  "¿De qué universidad vienen los becarios?",
  "¿Hay descuento para el gimnasio?",
  "¿Qué tipografía usamos en las presentaciones?",
];
