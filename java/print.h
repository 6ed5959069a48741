/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the texts of objects. */
#ifndef DWELL_JAVA_PRINT_H
#define DWELL_JAVA_PRINT_H
#include <jni.h>
#include <stdbool.h>

#define PRINT_TEXT 512 /* bytes of a text, at most */

extern __thread bool dwell_busy; /* this thread hits nothing: it is the agent's, or asks for a name */

/* Looks up what the others need. false: an exception is pending. Once. */
bool print_init(JNIEnv *env);
/* The string, as far as there is room, in UTF-8. */
void print_string(JNIEnv *env, jstring s, char to[PRINT_TEXT]);
/* The class's name. */
void print_class_of(JNIEnv *env, jobject o, char to[PRINT_TEXT]);
/* The object as a text. No code of the program is called: it is made of the fields of classes of the JDK. */
void print_object(JNIEnv *env, jobject o, char to[PRINT_TEXT]);
/* The message of an exception, as it was made with it. NULL: none. */
jstring print_message_of(JNIEnv *env, jthrowable t);
#endif
