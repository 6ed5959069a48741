/* SPDX-License-Identifier: Apache-2.0 */
/* Structs, unions, enums, typedefs, arrays, bit-fields, pointers: sizes and offsets as in C.
 * @options: -q */
struct point { int x; char tag; int64_t y; };
union both { uint32_t whole; uint8_t part[4]; };
struct bits { unsigned a:3; unsigned b:13; int c:5; };
typedef struct point point_t;
struct nest { point_t p[3]; union both u; };

BEGIN
{
	printf("%d %d %d %d\n", sizeof (struct point), sizeof (union both), sizeof (struct bits),
	    sizeof (struct nest));
	printf("%d %d %d\n", offsetof(struct point, y), offsetof(struct nest, u), sizeof (point_t *));
	printf("%d %d %d %d %d\n", sizeof (char), sizeof (short), sizeof (int), sizeof (long),
	    sizeof (long long));
	printf("%d %d %d %d\n", sizeof (int8_t), sizeof (uint16_t), sizeof (id_t), sizeof (uintptr_t));
	exit(0);
}
